import { parse } from '../queues/parse.ts';
import { laneOfIndex } from '../src/domain/filing/lane.ts';
import type { Fetched } from '../src/edgar/client/open.ts';
import { EdgarError, isEdgarError } from '../src/edgar/error.ts';
import {
  type Claim,
  claimFiling,
  claimImported,
  countTry,
  endStage,
  quarantineFiling,
} from '../src/store/filing/claims.ts';
import { keepRaw } from '../src/store/filing/raw.ts';
import { CRASH_LOOP, MAX_CRASHES, underClaim } from './claimed.ts';
import { eventOf, parsedFields, type Refusal, readStored } from './parsed-fields.ts';
import { replaceReading } from './replace-reading.ts';
import { today } from './today.ts';
import type { Job, JobContext } from './worker/context.ts';

/** Time for two downloads at the client's limits and for the wait at the bucket. */
const LEASE_MS = 180_000;
/** A document of the last days that EDGAR does not have for so long is given up, and an older one. */
const NEW_MISSING_MS = 24 * 3_600_000;
const OLD_MISSING_MS = 3_600_000;

/** Fetches the submission and stores its bytes before they are parsed. */
export const fetch: Job<'fetch'> = async (context, { accession }) => {
  const { db } = context;
  const claim = await claimFiling(db, accession, { state: 'discovered', ...leaseOf(context) });
  if (claim !== null) return underClaim(context, claim, () => fetchDiscovered(context, claim));
  const imported = await claimImported(db, accession, leaseOf(context));
  if (imported !== null) await underClaim(context, imported, () => replaceImported(context, imported));
};

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
  const counted = await countTry(context.db, claim, leaseOf(context));
  if (counted !== null) await underClaim(context, counted, () => readImported(context, counted, answer));
}

async function readImported(context: JobContext, claim: Claim, answer: Fetched): Promise<void> {
  const { db, now } = context;
  const { filing } = claim;
  const retrievedAt = now().toISOString();
  const raw = [
    ...filing.raw.filter((sha256) => sha256 !== answer.sha256),
    await kept(db, answer, retrievedAt),
  ];
  const fetched = { ...claim, filing: { ...filing, raw } };
  if (filing.tries > MAX_CRASHES) return keepImported(context, fetched, CRASH_LOOP);
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
    $unset: { documentWanted: '', missingSince: '' },
  });
  log.warn({ accession, ...why }, 'the document cannot replace the import');
}

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

async function saveFetched({ db, now }: JobContext, claim: Claim, answer: Fetched): Promise<boolean> {
  const fetchedAt = now().toISOString();
  const sha256 = await kept(db, answer, fetchedAt);
  return endStage(db, claim, {
    $set: { state: 'fetched', tries: 0, nextAt: fetchedAt, retrievedAt: fetchedAt },
    $addToSet: { raw: sha256 },
    $unset: { missingSince: '' },
  });
}

function kept(db: JobContext['db'], { bytes, url, headers }: Fetched, fetchedAt: string): Promise<string> {
  return keepRaw(db, bytes, { url, fetchedAt, etag: headers.etag });
}
