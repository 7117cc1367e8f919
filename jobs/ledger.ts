import { checkLedger } from '../src/credits/ledger/check.ts';
import { lastWholeLedgerCheck } from '../src/store/account/ledger-checks.ts';
import type { Job } from './worker/context.ts';

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

/** A week later, not on a day of the week: whoever was down on that day would wait for another week. */
async function isWholeDue({ db, now }: Parameters<typeof checkLedger>[0]): Promise<boolean> {
  const last = await lastWholeLedgerCheck(db);
  return last === null || now().getTime() - Date.parse(last.at) >= WEEK_MS;
}
