import { checkLedger } from '../src/credits/ledger/check.ts';
import type { Job } from './worker/context.ts';

/** Proves rule 12.8 for what is new, and keeps the result for `tidemark status`. */
export const ledger: Job<'ledger'> = async ({ credits, log }) => {
  const { problems } = await checkLedger(credits, { whole: false });
  if (problems.length > 0)
    log.error({ problems: problems.slice(0, 20) }, 'the ledger of credits is not whole');
};
