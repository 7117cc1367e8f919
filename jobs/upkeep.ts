import { checkLedger } from '../src/credits/ledger/check.ts';
import { DAY_MS } from '../src/domain/calendar.ts';
import { checkEvents } from '../src/read/audit/events.ts';
import { lastWholeLedgerCheck } from '../src/store/account/ledger-checks.ts';
import { saveEventCheck } from '../src/store/filing/events.ts';
import { correctExpiry } from '../src/store/publish/brief-expiry.ts';
import type { Job, JobContext } from './worker/context.ts';

/** What the clock has done of itself, so that an operator finds it in `tidemark status`. */
export const upkeep: Job<'upkeep'> = async (context, { kind }) => {
  if (kind === 'events') await proveEvents(context);
  else if (kind === 'ledger') await proveLedger(context);
  else await correctExpiry(context.db, context.now().toISOString());
};

/** Rule 13.1. */
async function proveEvents({ db, highestSeq, log, now }: JobContext): Promise<void> {
  const result = await checkEvents(db, await highestSeq.read(), now());
  await saveEventCheck(db, result);
  if (result.problem_count > 0) log.error({ problems: result.problems }, 'the stream of events is not whole');
}

const WEEK_MS = 7 * DAY_MS;

/** Rule 12.8 for what is new, and for every row when that was not done for a week: the first time too. */
async function proveLedger({ credits, log }: JobContext): Promise<void> {
  const { problems } = await checkLedger(credits, { whole: await isWholeDue(credits) });
  if (problems.length > 0)
    log.error({ problems: problems.slice(0, 20) }, 'the ledger of credits is not whole');
}

/** A week later, not on a day of the week: whoever was down on that day would wait for another week. */
async function isWholeDue({ db, now }: Parameters<typeof checkLedger>[0]): Promise<boolean> {
  const last = await lastWholeLedgerCheck(db);
  return last === null || now().getTime() - Date.parse(last.at) >= WEEK_MS;
}
