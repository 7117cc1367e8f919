import { parse, fetch as queue } from '../queues/filings.ts';
import { today } from '../src/derive/corpus/as-of.ts';
import { laneOfIndex } from '../src/domain/filing/lane.ts';
import type { Accession } from '../src/domain/ids.ts';
import type { Fetched } from '../src/edgar/client/open.ts';
import { EdgarError, isEdgarError } from '../src/edgar/error.ts';
import { AppError } from '../src/errors.ts';
import {
  type Claim,
  claimFilings,
  endStages,
  noteMissing,
  quarantined,
  type Unit,
} from '../src/store/filing/claims.ts';
import { isOfUnits } from '../src/store/filing/filings.ts';
import { keepRaw, keepRaws } from '../src/store/filing/raw.ts';
import { type Refusal, readingOf, replaceReading, saveRows } from './parse.ts';
import {
  CRASH_LOOP,
  FETCH_LEASE_MS,
  isCrashLoop,
  runStage,
  type Suspicion,
  suspicionOf,
  underClaims,
} from './stage.ts';
import type { Job, JobContext } from './worker/context.ts';

/** A document of the last days that EDGAR does not have for so long is given up, and an older one. */
const NEW_MISSING_MS = 24 * 3_600_000;

const OLD_MISSING_MS = 3_600_000;

/** Requests at once. EDGAR's rate is kept by the bucket. */
const AT_ONCE = 4;

/**
 * Fetches the submission of one filing, or those of a unit of history, and stores the bytes before they are parsed.
 * The document of an imported filing takes the place of the import at once.
 */
export const fetch: Job<'fetch'> = (context, named) =>
  context.precedence.during('part' in named ? undefined : named.lane, async () => {
    const isAlone = 'accession' in named;
    const { claims } = await runStage(context, named, {
      ...{ queue, state: 'discovered', leaseMs: FETCH_LEASE_MS },
      work: (unit) => fetchClaimed(context, unit.claims, isAlone),
    });
    if (!isAlone || claims.length > 0) return;
    await replaceImport(context, named.accession);
  });

type Answer = { readonly claim: Claim; readonly answer: Fetched | EdgarError };
type Failure = { readonly claim: Claim; readonly error: unknown };

/**
 * One of several that cannot be fetched now is left to be tried alone: its try stays counted. It ends the unit, unless
 * only its own document is missing or cut.
 */
async function fetchClaimed(context: JobContext, claims: readonly Claim[], isAlone: boolean): Promise<void> {
  const { answers, failures } = await fetchEach(context, claims, isAlone);
  await saveAnswers(context, answers);
  const nextAt = context.now().toISOString();
  const left = isAlone ? [] : failures.map(({ claim }) => ({ claim, update: { $set: { nextAt } } }));
  await endStages(context.db, left);
  for (const { error } of failures) if (isAlone || !isOfOneDocument(error)) throw error;
  if (answers.length + failures.length === claims.length) return;
  throw new AppError('stopped', 'the next worker goes on with the filings', { retry: true });
}

/** After a failure, and when the worker is stopped, no further one is begun. */
async function fetchEach(context: JobContext, claims: readonly Claim[], isAlone: boolean) {
  const waiting = [...claims];
  const answers: Answer[] = [];
  const failures: Failure[] = [];
  const fetchInTurn = async (): Promise<void> => {
    while (failures.every(({ error }) => isOfOneDocument(error)) && !context.stopping.aborted) {
      const claim = waiting.shift();
      if (claim === undefined) return;
      if (!isAlone) await context.precedence.giveWay();
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

/** Stores what came, and enqueues to be parsed what is not parsed together with others. */
async function saveAnswers({ db, producer, now }: JobContext, answers: readonly Answer[]): Promise<void> {
  const at = now().toISOString();
  const fetched = answers.flatMap(({ claim, answer }) => {
    if (answer instanceof EdgarError) return [];
    const { bytes, url, headers } = answer;
    return [{ claim, bytes, meta: { url, fetchedAt: at, etag: headers.etag } }];
  });
  const stored = await keepRaws(db, fetched);
  const refused = answers.flatMap(({ claim, answer }) =>
    answer instanceof EdgarError
      ? [{ claim, update: quarantined(claim.filing, { code: answer.code, reason: answer.message, at }) }]
      : [],
  );
  const saved = fetched.map(({ claim }, n) => ({ claim, update: fetchedUpdate(stored[n] ?? '', at) }));
  await endStages(db, [...saved, ...refused]);
  const single = saved.filter(({ claim }) => !isOfUnits({ ...claim.filing, tries: 0 }));
  await producer.enqueueAll(
    parse,
    // The fence is part of the job's id, as in dispatch: a stage never has two jobs for a filing.
    single.map(({ claim: { filing, fence } }) => ({
      ...{ accession: filing._id, filedDate: filing.filedDate, lane: filing.lane, run: fence },
    })),
  );
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
    await noteMissing(context.db, claim, at);
    return false;
  }
  const isHistory = laneOfIndex(filedDate, await today(context)) === 'backfill';
  return at.getTime() - Date.parse(missingSince) >= (isHistory ? OLD_MISSING_MS : NEW_MISSING_MS);
}

/** The update that ends the stage of a filing whose bytes are stored. */
function fetchedUpdate(sha256: string, fetchedAt: string) {
  return {
    $set: { state: 'fetched', tries: 0, nextAt: fetchedAt, retrievedAt: fetchedAt },
    $addToSet: { raw: sha256 },
    $unset: { missingSince: '' },
  } as const;
}

/**
 * Replaces an imported filing by its document, where that is wanted: what the data set says stands until the document
 * is read, and where it cannot be.
 */
async function replaceImport(context: JobContext, accession: Accession): Promise<void> {
  const { db, now, parser } = context;
  const where = { state: 'parsed', documentWanted: true } as const;
  // Without a try: a worker that is killed while it downloads is no fault of the document.
  const claiming = { where, leaseMs: FETCH_LEASE_MS, now: now(), counted: 0 } as const;
  await underClaim(context, await claimFilings(db, [accession], claiming), async (claim) => {
    const answer = await fetchSubmission(context, claim);
    if (answer instanceof EdgarError) {
      await keepImport(context, claim, { code: answer.code, reason: answer.message });
      return;
    }
    await parser.started();
    await readCounted(context, claim, answer);
  });
}

/** Under a claim that counts a try. Does nothing when a later claim owns the filing. */
async function readCounted(context: JobContext, { filing, fence }: Claim, document: Fetched): Promise<void> {
  const { db, now } = context;
  const suspicion = await suspicionOf(db, filing);
  const claiming = { where: { fence }, leaseMs: FETCH_LEASE_MS, now: now(), ...suspicion.noted };
  const unit = await claimFilings(db, [filing._id], claiming);
  await underClaim(context, unit, (claim) => read(context, claim, { document, suspicion }));
}

async function underClaim(context: JobContext, unit: Unit, work: (claim: Claim) => Promise<void>) {
  const [claim] = unit.claims;
  if (claim !== undefined) await underClaims(context, unit, { work: () => work(claim), isAlone: true });
}

type Reread = { readonly document: Fetched; readonly suspicion: Suspicion };

async function read(context: JobContext, claim: Claim, { document, suspicion }: Reread): Promise<void> {
  const { db, now, forms, parser } = context;
  const { filing } = claim;
  const { bytes, url, headers } = document;
  const retrievedAt = now().toISOString();
  const sha256 = await keepRaw(db, bytes, { url, fetchedAt: retrievedAt, etag: headers.etag });
  const raw = [...filing.raw.filter((earlier) => earlier !== sha256), sha256];
  const fetched = { ...claim, filing: { ...filing, raw } };
  if (isCrashLoop(filing, suspicion)) return keepImport(context, fetched, CRASH_LOOP);
  const reading = readingOf(forms, await parser.parse(bytes, filing._id), raw);
  if ('code' in reading) return keepImport(context, fetched, reading);
  await replaceReading(db, filing, { ...(await saveRows(db, filing, reading)), raw, retrievedAt });
}

async function keepImport({ db, log, now }: JobContext, claim: Claim, why: Refusal): Promise<void> {
  const { _id: accession, raw } = claim.filing;
  const quarantine = { code: why.code, reason: why.reason, at: now().toISOString() };
  const update = {
    $set: { raw, tries: 0, quarantine },
    $unset: { documentWanted: '', missingSince: '', suspectedAt: '' },
  } as const;
  await endStages(db, [{ claim, update }]);
  log.warn({ accession, ...why }, 'the document cannot replace the import');
}
