import type { Db } from 'mongodb';
import { EdgarError } from '../src/edgar/error.ts';
import { AppError } from '../src/errors.ts';
import { type Claim, parkFiling, renewLease } from '../src/store/filing/claims.ts';
import type { FilingDoc } from '../src/store/filing/filings.ts';
import { releaseUnit, renewUnit, type UnitClaim } from '../src/store/filing/unit-claims.ts';
import { countedStarts } from '../src/store/process/starts.ts';
import type { JobContext } from './worker/context.ts';

/** Dispatch skips a filing for this long while BullMQ retries its job. */
const RETRYING_MS = 10 * 60_000;
/** Only these failures count against the filing. */
const PARSER_CRASHES = new Set(['parse_timeout', 'parse_crashed']);

/** A filing cannot be read when its parser broke this often without an answer. */
const MAX_CRASHES = 3;
/** The same where workers are started more often than its kills explain. */
const MAX_TRIES = 8;
/** Workers that are started for each of its kills, its own restart counted, where something else kills or starts them. */
const STARTS_PER_KILL = 2;

export const CRASH_LOOP = {
  code: 'crash_loop',
  reason: 'its parser broke, or the worker was killed while it read the filing, three times or more',
};

/** Of a filing that was tried before: how many workers were started so far. */
export type Suspicion = {
  readonly starts: number;
  /** What its second try notes of that. */
  readonly noted: { readonly suspectedAt?: number };
};

/** Before the claim that tries it once more. */
export async function suspicionOf(db: Db, { tries }: { readonly tries: number }): Promise<Suspicion> {
  const starts = tries > 0 ? await countedStarts(db) : 0;
  return { starts, noted: tries === 1 ? { suspectedAt: starts } : {} };
}

/**
 * Whether a claimed filing was tried in vain often enough (rule 13.2). Its kills are its tries from the second to the
 * last; where workers were started much more often since then, something else kills them. A copy of MongoDB that was
 * restored has counted fewer starts, which say nothing.
 */
export function isCrashLoop(
  { tries, suspectedAt }: FilingDoc,
  { starts }: Pick<Suspicion, 'starts'>,
): boolean {
  if (tries <= MAX_CRASHES) return false;
  if (tries > MAX_TRIES) return true;
  const started = starts - Number(suspectedAt ?? starts);
  return started >= 0 && started < STARTS_PER_KILL * (tries - 2);
}

/** Runs a stage under its claim, for as long as it takes. When it fails, the filing is parked under the same fence. */
export async function underClaim({ db, now }: JobContext, claim: Claim, work: () => Promise<void>) {
  try {
    await renewing(claim.leaseMs, () => renewLease(db, claim, now()), work);
  } catch (error) {
    const waitMs = error instanceof EdgarError ? (error.retryAfterMs ?? 0) : 0;
    const until = new Date(now().getTime() + Math.max(RETRYING_MS, waitMs));
    const isCrash = error instanceof AppError && PARSER_CRASHES.has(error.code);
    // A crash of the parser is the filing's, whatever else is killed: starts are counted from here.
    await parkFiling(db, claim, { until, ...(isCrash ? { crashedAt: await countedStarts(db) } : {}) });
    throw error;
  }
}

/**
 * Runs a stage of several filings under their claims. When it fails, those that are still claimed may be tried at
 * once; their try counts where `isCounted` says so, and then each is tried alone.
 */
export async function underUnit(
  { db, now }: JobContext,
  claimed: UnitClaim,
  {
    work,
    isCounted,
  }: { readonly work: () => Promise<void>; readonly isCounted: (error: unknown) => boolean },
): Promise<void> {
  try {
    await renewing(claimed.leaseMs, () => renewUnit(db, claimed, now()), work);
  } catch (error) {
    await releaseUnit(db, claimed, { now: now(), isCounted: isCounted(error) });
    throw error;
  }
}

async function renewing(
  leaseMs: number,
  renew: () => Promise<void>,
  work: () => Promise<void>,
): Promise<void> {
  // One that is missed is no harm: the next one comes before the lease ends.
  const timer = setInterval(() => void renew().catch(() => undefined), leaseMs / 3);
  await work().finally(() => clearInterval(timer));
}
