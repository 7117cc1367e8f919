import { EdgarError } from '../src/edgar/error.ts';
import { AppError } from '../src/errors.ts';
import { type Claim, parkFiling, renewLease } from '../src/store/filing/claims.ts';
import type { JobContext } from './worker/context.ts';

/** Dispatch skips a filing for this long while BullMQ retries its job. */
const RETRYING_MS = 10 * 60_000;
/** Only these failures count against the filing. */
const PARSER_CRASHES = new Set(['parse_timeout', 'parse_crashed']);

/** A filing cannot be read when its parser broke this often without an answer. */
export const MAX_CRASHES = 3;
export const CRASH_LOOP = { code: 'crash_loop', reason: 'the parser broke or was killed three times' };

/** Runs a stage under its claim, for as long as it takes. When it fails, the filing is parked under the same fence. */
export async function underClaim({ db, now }: JobContext, claim: Claim, work: () => Promise<void>) {
  // One that is missed is no harm: the next one comes before the lease ends.
  const renew = () => void renewLease(db, claim, now()).catch(() => undefined);
  const timer = setInterval(renew, claim.leaseMs / 3);
  try {
    await work().finally(() => clearInterval(timer));
  } catch (error) {
    const waitMs = error instanceof EdgarError ? (error.retryAfterMs ?? 0) : 0;
    const until = new Date(now().getTime() + Math.max(RETRYING_MS, waitMs));
    const isCrash = error instanceof AppError && PARSER_CRASHES.has(error.code);
    await parkFiling(db, claim, { until, isCrash });
    throw error;
  }
}
