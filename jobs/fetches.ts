import { fetches as queue } from '../queues/fetches.ts';
import type { Fetched } from '../src/edgar/client/open.ts';
import { EdgarError, isEdgarError } from '../src/edgar/error.ts';
import { AppError } from '../src/errors.ts';
import { type Claim, quarantined } from '../src/store/filing/claims.ts';
import { keepRaws } from '../src/store/filing/raw.ts';
import { claimUnit, endStages } from '../src/store/filing/unit-claims.ts';
import { isOutage } from '../src/store/mongo/write.ts';
import { underUnit } from './claimed.ts';
import { unitOfFilings } from './pending/filing-units.ts';
import { fetchedUpdate, fetchSubmission, rawMeta, refusalOf } from './submission.ts';
import type { Job, JobContext } from './worker/context.ts';

/** As in `fetch`; it is renewed while the unit waits at the bucket. */
const LEASE_MS = 180_000;
/** Requests at once. EDGAR's rate is kept by the bucket, as for single filings. */
const AT_ONCE = 4;

/**
 * Fetches filings of history together: a unit of one part, and then the next one. Each request is one of `fetch`, with
 * its turn at the bucket; what is stored of them is stored once for all. A filing that cannot be fetched now is left to
 * `fetch`, which tries it again alone. It ends the unit, unless only its own document is missing or cut.
 */
export const fetches: Job<'fetches'> = async (context, { part }) => {
  const { db, producer, now } = context;
  const { unit, isLast } = await unitOfFilings(db, 'discovered', { part, now: now() });
  if (unit.length === 0) return;
  const claimed = await claimUnit(db, unit, { state: 'discovered', leaseMs: LEASE_MS, now: now() });
  const work = () => fetchUnit(context, claimed.claims);
  // What EDGAR answers, a stop and an outage are no fault of a filing. What cannot be stored is tried alone.
  const isCounted = (error: unknown): boolean => !(error instanceof AppError) && !isOutage(error);
  await underUnit(context, claimed, { work, isCounted });
  if (!isLast) await producer.enqueue(queue, { part, at: now().getTime() });
};

type Answer = { readonly claim: Claim; readonly answer: Fetched | EdgarError };
type Failure = { readonly claim: Claim; readonly error: unknown };

async function fetchUnit(context: JobContext, claims: readonly Claim[]): Promise<void> {
  const { answers, failures } = await fetchEach(context, claims);
  await saveAnswers(context, answers);
  await leaveToFetch(context, failures);
  for (const { error } of failures) if (!isOfOneDocument(error)) throw error;
  if (answers.length + failures.length === claims.length) return;
  throw new AppError('stopped', 'the next worker goes on with the unit', { retry: true });
}

/** After a failure, and when the worker is stopped, no further one is begun. */
async function fetchEach(context: JobContext, claims: readonly Claim[]) {
  const waiting = [...claims];
  const answers: Answer[] = [];
  const failures: Failure[] = [];
  const fetchInTurn = async (): Promise<void> => {
    while (failures.every(({ error }) => isOfOneDocument(error)) && !context.stopping.aborted) {
      const claim = waiting.shift();
      if (claim === undefined) return;
      await context.precedence.giveWay();
      try {
        answers.push({ claim, answer: await fetchSubmission(context, claim) });
      } catch (error) {
        failures.push({ claim, error });
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, fetchInTurn));
  return { answers, failures };
}

/** It says nothing of the other documents. */
function isOfOneDocument(error: unknown): boolean {
  return isEdgarError(error, 'edgar_not_found', 'edgar_truncated');
}

async function saveAnswers({ db, now }: JobContext, answers: readonly Answer[]): Promise<void> {
  const at = now().toISOString();
  const fetched = answers.flatMap(({ claim, answer }) =>
    answer instanceof EdgarError ? [] : [{ claim, bytes: answer.bytes, meta: rawMeta(answer, at) }],
  );
  const stored = await keepRaws(db, fetched);
  const refused = answers.flatMap(({ claim, answer }) =>
    answer instanceof EdgarError
      ? [{ claim, update: quarantined(claim.filing, { ...refusalOf(answer), at }) }]
      : [],
  );
  const saved = fetched.map(({ claim }, n) => ({ claim, update: fetchedUpdate(stored[n] ?? '', at) }));
  await endStages(db, [...saved, ...refused]);
}

/** Their try stays counted, so no unit takes them again. */
async function leaveToFetch({ db, now }: JobContext, failures: readonly Failure[]): Promise<void> {
  const nextAt = now().toISOString();
  await endStages(
    db,
    failures.map(({ claim }) => ({ claim, update: { $set: { nextAt } } })),
  );
}
