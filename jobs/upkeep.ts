import { checkLedger } from '../src/credits/ledger/check.ts';
import { checkEvents } from '../src/read/audit/events.ts';
import { lastWholeLedgerCheck } from '../src/store/account/ledger-checks.ts';
import { saveEventCheck } from '../src/store/filing/event-checks.ts';
import { correctExpiry } from '../src/store/publish/brief-expiry.ts';
import type { Job } from './worker/context.ts';

/** Proves rule 13.1 and keeps the result for `tidemark status`. */
export const check: Job<'check'> = async ({ db, highestSeq, log, now }) => {
  const result = await checkEvents(db, await highestSeq.read(), now());
  await saveEventCheck(db, result);
  if (result.problem_count > 0) log.error({ problems: result.problems }, 'the stream of events is not whole');
};

const WEEK_MS = 7 * 86_400_000;

/**
 * Proves rule 12.8 for what is new, and for every row when that was not done for a week: the first time too. Keeps
 * the result for `tidemark status`.
 */
export const ledger: Job<'ledger'> = async ({ credits, log }) => {
  const { problems } = await checkLedger(credits, { whole: await isWholeDue(credits) });
  if (problems.length > 0)
    log.error({ problems: problems.slice(0, 20) }, 'the ledger of credits is not whole');
};

/** Corrects what expires of the stored briefs (rule 13.8). */
export const expire: Job<'expire'> = ({ db, now }) => correctExpiry(db, now().toISOString());

/** A week later, not on a day of the week: whoever was down on that day would wait for another week. */
async function isWholeDue({ db, now }: Parameters<typeof checkLedger>[0]): Promise<boolean> {
  const last = await lastWholeLedgerCheck(db);
  return last === null || now().getTime() - Date.parse(last.at) >= WEEK_MS;
}
