import type { Db } from 'mongodb';
import type { FilingUnit, fetch, parse } from '../queues/filings.ts';
import { EdgarError } from '../src/edgar/error.ts';
import { AppError } from '../src/errors.ts';
import { claimFilings, releaseFilings, renewLeases, type Unit } from '../src/store/filing/claims.ts';
import { type FilingDoc, type WaitingState, waitingForUnit } from '../src/store/filing/filings.ts';
import { isOutage } from '../src/store/mongo/write.ts';
import { countedStarts } from '../src/store/process/heartbeats.ts';
import { unitOfFilings } from './pending/units.ts';
import type { JobContext } from './worker/context.ts';

/** Time for two downloads at the client's limits and for the wait at the bucket. */
export const FETCH_LEASE_MS = 180_000;
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

type Stage = {
  readonly queue: typeof fetch | typeof parse;
  readonly state: WaitingState;
  readonly leaseMs: number;
  /** Of a filing that is alone. */
  readonly suspicion?: Suspicion;
  readonly work: (unit: Unit) => Promise<void>;
};

/**
 * Does the work of a stage for the filing that a job names, or for the next ones of its part of history, which then
 * goes on with those behind them. Returns the filings, and the claims on those that it could claim.
 */
export async function runStage(
  context: JobContext,
  named: FilingUnit,
  { queue, state, leaseMs, suspicion, work }: Stage,
) {
  const { db, producer, now } = context;
  const isAlone = 'accession' in named;
  const { unit, isLast } = isAlone
    ? { unit: [named.accession], isLast: true }
    : await unitOfFilings(db, state, { part: named.part, now: now() });
  const where = isAlone ? { state } : waitingForUnit(state, now());
  const claimed = await claimFilings(db, unit, { where, leaseMs, now: now(), ...suspicion?.noted });
  if (claimed.claims.length > 0) await underClaims(context, claimed, { work, isAlone });
  if (!isLast && !isAlone) await producer.enqueue(queue, { part: named.part, at: now().getTime() });
  return { accessions: unit, claims: claimed.claims };
}

type Work = { readonly work: (unit: Unit) => Promise<void>; readonly isAlone: boolean };

/**
 * Works under the claims, for as long as it takes. When that fails, a filing alone waits while its job is retried;
 * several may be tried at once, each alone where one of them may be at fault.
 */
export async function underClaims(context: JobContext, unit: Unit, { work, isAlone }: Work): Promise<void> {
  const { db, now } = context;
  // One that is missed is no harm: the next one comes before the lease ends.
  const renew = () => void renewLeases(db, unit, now()).catch(() => undefined);
  const timer = setInterval(renew, unit.leaseMs / 3);
  try {
    await work(unit);
  } catch (error) {
    const release = isAlone ? await parked(context, error) : { until: now(), isCounted: mayBeOfOne(error) };
    await releaseFilings(db, unit, release);
    throw error;
  } finally {
    clearInterval(timer);
  }
}

/** Only a crash of the parser is the filing's, whatever else is killed: starts are counted from here. */
async function parked({ db, now }: JobContext, error: unknown) {
  const waitMs = error instanceof EdgarError ? (error.retryAfterMs ?? 0) : 0;
  const until = new Date(now().getTime() + Math.max(RETRYING_MS, waitMs));
  const isCounted = error instanceof AppError && PARSER_CRASHES.has(error.code);
  return { until, isCounted, ...(isCounted ? { crashedAt: await countedStarts(db) } : {}) };
}

/** What EDGAR answers, a stop and an outage are no fault of a filing. */
function mayBeOfOne(error: unknown): boolean {
  if (error instanceof EdgarError || isOutage(error)) return false;
  return !(error instanceof AppError && error.code === 'stopped');
}
