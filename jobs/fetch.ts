import { parse } from '../queues/parse.ts';
import type { Accession } from '../src/domain/ids.ts';
import type { Fetched } from '../src/edgar/client/open.ts';
import { EdgarError } from '../src/edgar/error.ts';
import {
  type Claim,
  claimFiling,
  claimImported,
  countTry,
  endStage,
  quarantineFiling,
} from '../src/store/filing/claims.ts';
import { keepRaw } from '../src/store/filing/raw.ts';
import { CRASH_LOOP, isCrashLoop, type Suspicion, suspicionOf, underClaim } from './claimed.ts';
import { eventOf, parsedFields, type Refusal, readStored } from './parsed-fields.ts';
import { replaceReading } from './replace-reading.ts';
import { fetchedUpdate, fetchSubmission, rawMeta, refusalOf } from './submission.ts';
import type { Job, JobContext } from './worker/context.ts';

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
