import { parse, fetches as queue } from '../queues/filings.ts';
import { laneOfIndex } from '../src/domain/filing/lane.ts';
import type { Accession } from '../src/domain/ids.ts';
import type { Fetched } from '../src/edgar/client/open.ts';
import { EdgarError, isEdgarError } from '../src/edgar/error.ts';
import { AppError } from '../src/errors.ts';
import {
  type Claim,
  claimFiling,
  claimImported,
  countTry,
  endStage,
  quarantined,
  quarantineFiling,
} from '../src/store/filing/claims.ts';
import { keepRaw, keepRaws } from '../src/store/filing/raw.ts';
import { claimUnit, endStages } from '../src/store/filing/unit-claims.ts';
import { isOutage } from '../src/store/mongo/write.ts';
import { CRASH_LOOP, isCrashLoop, type Suspicion, suspicionOf, underClaim, underUnit } from './claimed.ts';
import { eventOf, parsedFields, type Refusal, readStored, replaceReading } from './parsed-fields.ts';
import { unitOfFilings } from './pending/units.ts';
import { today } from './today.ts';
import type { Job, JobContext } from './worker/context.ts';

/** A document of the last days that EDGAR does not have for so long is given up, and an older one. */
const NEW_MISSING_MS = 24 * 3_600_000;

const OLD_MISSING_MS = 3_600_000;

/** Time for two downloads at the client's limits and for the wait at the bucket. */
const LEASE_MS = 180_000;

/** Fetches the submission and stores its bytes before they are parsed. */
export const fetch: Job<'fetch'> = (context, { accession, lane }) =>
  context.precedence.during(lane, () => fetchOne(context, accession));

async function fetchOne(context: JobContext, accession: Accession): Promise<void> {
  const { db } = context;
  const claim = await claimFiling(db, accession, { state: 'discovered', ...leaseOf(context) });
  if (claim !== null) return underClaim(context, claim, () => fetchDiscovered(context, claim));
  const imported = await claimImported(db, accession, leaseOf(context));
  if (imported !== null) await underClaim(context, imported, () => replaceImported(context, imported));
}

const leaseOf = ({ now }: JobContext) => ({ leaseMs: LEASE_MS, now: now() });

async function fetchDiscovered(context: JobContext, claim: Claim): Promise<void> {
  const { db, producer, now } = context;
  const { _id: accession, filedDate, lane } = claim.filing;
  const answer = await fetchSubmission(context, claim);
  if (answer instanceof EdgarError) {
    await quarantineFiling(db, claim, { ...refusalOf(answer), at: now().toISOString() });
  } else if (await saveFetched(context, claim, answer)) {
    // The fence is part of the job's id, as in dispatch: a stage never has two jobs for a filing.
    await producer.enqueue(parse, { accession, filedDate, lane, run: claim.fence });
  }
}

/**
 * Reads the document of an imported filing at once: what the data set says stands until the reading of the
 * document takes its place, and when there is none.
 */
async function replaceImported(context: JobContext, claim: Claim): Promise<void> {
  const answer = await fetchSubmission(context, claim);
  if (answer instanceof EdgarError) return keepImported(context, claim, refusalOf(answer));
  await context.parser.started();
  // Only now: a worker that is killed while it downloads is no fault of the document.
  const suspicion = await suspicionOf(context.db, claim.filing);
  const counted = await countTry(context.db, claim, { ...leaseOf(context), ...suspicion.noted });
  if (counted === null) return;
  await underClaim(context, counted, () => readImported(context, { claim: counted, answer, suspicion }));
}

type Reread = { readonly claim: Claim; readonly answer: Fetched; readonly suspicion: Suspicion };

async function readImported(context: JobContext, { claim, answer, suspicion }: Reread): Promise<void> {
  const { db, now } = context;
  const { filing } = claim;
  const retrievedAt = now().toISOString();
  const raw = [
    ...filing.raw.filter((sha256) => sha256 !== answer.sha256),
    await kept(db, answer, retrievedAt),
  ];
  const fetched = { ...claim, filing: { ...filing, raw } };
  if (isCrashLoop(filing, suspicion)) return keepImported(context, fetched, CRASH_LOOP);
  const reading = await readStored(context, answer.bytes, fetched.filing);
  if ('code' in reading) return keepImported(context, fetched, reading);
  const fields = { ...(await parsedFields(db, reading)), event: eventOf(filing, reading.form) };
  await replaceReading(db, filing, { ...fields, raw, retrievedAt });
}

async function keepImported({ db, log, now }: JobContext, claim: Claim, why: Refusal): Promise<void> {
  const { _id: accession, raw } = claim.filing;
  const quarantine = { code: why.code, reason: why.reason, at: now().toISOString() };
  await endStage(db, claim, {
    $set: { raw, tries: 0, quarantine },
    $unset: { documentWanted: '', missingSince: '', suspectedAt: '' },
  });
  log.warn({ accession, ...why }, 'the document cannot replace the import');
}

async function saveFetched({ db, now }: JobContext, claim: Claim, answer: Fetched): Promise<boolean> {
  const fetchedAt = now().toISOString();
  return endStage(db, claim, fetchedUpdate(await kept(db, answer, fetchedAt), fetchedAt));
}

function kept(db: JobContext['db'], answer: Fetched, fetchedAt: string): Promise<string> {
  return keepRaw(db, answer.bytes, rawMeta(answer, fetchedAt));
}

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

/** Why a filing is quarantined whose document EDGAR does not give. */
function refusalOf({ code, message }: EdgarError): Refusal {
  return { code, reason: message };
}

/** An answer that cannot change, or that has not changed for long, is an outcome; all others are retried. */
async function fetchSubmission(context: JobContext, claim: Claim): Promise<Fetched | EdgarError> {
  const { cik, _id: accession, lane } = claim.filing;
  try {
    return await context.edgar.fetchSubmission(cik, accession, lane);
  } catch (error) {
    if (isEdgarError(error, 'edgar_too_large', 'edgar_redirect')) return error;
    const isMissing = isEdgarError(error, 'edgar_not_found', 'edgar_truncated');
    if (isMissing && (await isMissingForLong(context, claim))) return error;
    throw error;
  }
}

/** EDGAR lists a new filing before every server of it has the document (rule 13.2). */
async function isMissingForLong(context: JobContext, claim: Claim): Promise<boolean> {
  const { filedDate, missingSince } = claim.filing;
  const at = context.now();
  if (missingSince === undefined) {
    await endStage(context.db, claim, { $set: { missingSince: at.toISOString() } });
    return false;
  }
  const isHistory = laneOfIndex(filedDate, await today(context)) === 'backfill';
  return at.getTime() - Date.parse(missingSince) >= (isHistory ? OLD_MISSING_MS : NEW_MISSING_MS);
}

/** What is kept of the answer beside its bytes. */
function rawMeta({ url, headers }: Fetched, fetchedAt: string) {
  return { url, fetchedAt, etag: headers.etag };
}

/** The update that ends the stage of a filing whose bytes are stored. */
function fetchedUpdate(sha256: string, fetchedAt: string) {
  return {
    $set: { state: 'fetched', tries: 0, nextAt: fetchedAt, retrievedAt: fetchedAt },
    $addToSet: { raw: sha256 },
    $unset: { missingSince: '' },
  } as const;
}
