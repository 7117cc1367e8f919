import { parse } from '../queues/parse.ts';
import type { Fetched } from '../src/edgar/client/open.ts';
import { EdgarError, isEdgarError } from '../src/edgar/error.ts';
import {
  type Claim,
  claimFiling,
  claimImported,
  endStage,
  quarantineFiling,
} from '../src/store/filing/claims.ts';
import { keepRaw } from '../src/store/filing/raw.ts';
import { CRASH_LOOP, MAX_CRASHES, underClaim } from './claimed.ts';
import { eventOf, parsedFields, type Refusal, readStored } from './parsed-fields.ts';
import { replaceReading } from './replace-reading.ts';
import type { Job, JobContext } from './worker/context.ts';

/** Time for two downloads at the client's limits and for the wait at the bucket. */
const LEASE_MS = 180_000;

/** Fetches the submission and stores its bytes before they are parsed. */
export const fetch: Job<'fetch'> = async (context, { accession }) => {
  const { db } = context;
  const lease = { leaseMs: LEASE_MS, now: context.now() };
  const claim = await claimFiling(db, accession, { state: 'discovered', ...lease });
  if (claim !== null) return underClaim(context, claim, () => fetchDiscovered(context, claim));
  const imported = await claimImported(db, accession, lease);
  if (imported !== null) await underClaim(context, imported, () => replaceImported(context, imported));
};

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
  const { db, now } = context;
  const { filing } = claim;
  if (filing.tries > MAX_CRASHES) return keepImported(context, claim, CRASH_LOOP);
  const answer = await fetchSubmission(context, claim);
  if (answer instanceof EdgarError) return keepImported(context, claim, refusalOf(answer));
  const retrievedAt = now().toISOString();
  const raw = [
    ...filing.raw.filter((sha256) => sha256 !== answer.sha256),
    await kept(db, answer, retrievedAt),
  ];
  const reading = await readStored(context, answer.bytes, { _id: filing._id, raw });
  if ('code' in reading) return keepImported(context, { ...claim, filing: { ...filing, raw } }, reading);
  const fields = { ...(await parsedFields(db, reading)), event: eventOf(filing, reading.form) };
  await replaceReading(db, filing, { ...fields, raw, retrievedAt });
}

async function keepImported({ db, log, now }: JobContext, claim: Claim, why: Refusal): Promise<void> {
  const { _id: accession, raw } = claim.filing;
  const quarantine = { code: why.code, reason: why.reason, at: now().toISOString() };
  await endStage(db, claim, { $set: { raw, tries: 0, quarantine }, $unset: { documentWanted: '' } });
  log.warn({ accession, ...why }, 'the document cannot replace the import');
}

function refusalOf({ code, message }: EdgarError): Refusal {
  return { code, reason: message };
}

/** An answer that cannot change is an outcome; everything else is thrown and retried. */
async function fetchSubmission({ edgar }: JobContext, { filing }: Claim): Promise<Fetched | EdgarError> {
  try {
    return await edgar.fetchSubmission(filing.cik, filing._id, filing.lane);
  } catch (error) {
    if (isEdgarError(error, 'edgar_too_large', 'edgar_redirect')) return error;
    throw error;
  }
}

async function saveFetched({ db, now }: JobContext, claim: Claim, answer: Fetched): Promise<boolean> {
  const fetchedAt = now().toISOString();
  const sha256 = await kept(db, answer, fetchedAt);
  return endStage(db, claim, {
    $set: { state: 'fetched', tries: 0, nextAt: fetchedAt, retrievedAt: fetchedAt },
    $addToSet: { raw: sha256 },
  });
}

function kept(db: JobContext['db'], { bytes, url, headers }: Fetched, fetchedAt: string): Promise<string> {
  return keepRaw(db, bytes, { url, fetchedAt, etag: headers.etag });
}
