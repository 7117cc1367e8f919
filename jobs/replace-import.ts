import type { Accession } from '../src/domain/ids.ts';
import type { Fetched } from '../src/edgar/client/open.ts';
import { EdgarError } from '../src/edgar/error.ts';
import { type Claim, claimFilings, endStages } from '../src/store/filing/claims.ts';
import { keepRaw } from '../src/store/filing/raw.ts';
import { eventOf, parsedFields, type Refusal, readStored, replaceReading } from './parsed-fields.ts';
import { CRASH_LOOP, isCrashLoop, type Suspicion, suspicionOf, underClaims } from './stage.ts';
import type { JobContext } from './worker/context.ts';

type Source = {
  readonly leaseMs: number;
  /** Fetches the document; an answer that will not change is an outcome. */
  readonly read: (claim: Claim) => Promise<Fetched | EdgarError>;
};

/**
 * Reads the document of an imported filing where it is wanted: what the data set says stands until the reading of the
 * document takes its place, and when there is none.
 */
export async function replaceImport(
  context: JobContext,
  accession: Accession,
  { leaseMs, read }: Source,
): Promise<void> {
  const { db, now } = context;
  const where = { state: 'parsed', documentWanted: true } as const;
  // Without a try: a worker that is killed while it downloads is no fault of the document.
  const unit = await claimFilings(db, [accession], { where, leaseMs, now: now(), counted: 0 });
  const [claim] = unit.claims;
  if (claim === undefined) return;
  const work = async (): Promise<void> => {
    const answer = await read(claim);
    if (answer instanceof EdgarError)
      return keepImported(context, claim, { code: answer.code, reason: answer.message });
    await context.parser.started();
    await readCounted(context, claim, { answer, leaseMs });
  };
  await underClaims(context, unit, { work, isAlone: true });
}

type Document = { readonly answer: Fetched; readonly leaseMs: number };

/** Under a claim that counts a try. Does nothing when a later claim owns the filing. */
async function readCounted(context: JobContext, { filing, fence }: Claim, { answer, leaseMs }: Document) {
  const { db, now } = context;
  const suspicion = await suspicionOf(db, filing);
  const claiming = { where: { fence }, leaseMs, now: now(), ...suspicion.noted };
  const unit = await claimFilings(db, [filing._id], claiming);
  const [claim] = unit.claims;
  if (claim === undefined) return;
  const work = () => readImported(context, { claim, answer, suspicion });
  await underClaims(context, unit, { work, isAlone: true });
}

type Reread = { readonly claim: Claim; readonly answer: Fetched; readonly suspicion: Suspicion };

async function readImported(context: JobContext, { claim, answer, suspicion }: Reread): Promise<void> {
  const { db, now } = context;
  const { filing } = claim;
  const { bytes, url, headers } = answer;
  const retrievedAt = now().toISOString();
  const sha256 = await keepRaw(db, bytes, { url, fetchedAt: retrievedAt, etag: headers.etag });
  const raw = [...filing.raw.filter((earlier) => earlier !== sha256), sha256];
  const fetched = { ...claim, filing: { ...filing, raw } };
  if (isCrashLoop(filing, suspicion)) return keepImported(context, fetched, CRASH_LOOP);
  const reading = await readStored(context, bytes, fetched.filing);
  if ('code' in reading) return keepImported(context, fetched, reading);
  const fields = { ...(await parsedFields(db, reading)), event: eventOf(filing, reading.form) };
  await replaceReading(db, filing, { ...fields, raw, retrievedAt });
}

async function keepImported({ db, log, now }: JobContext, claim: Claim, why: Refusal): Promise<void> {
  const { _id: accession, raw } = claim.filing;
  const quarantine = { code: why.code, reason: why.reason, at: now().toISOString() };
  const update = {
    $set: { raw, tries: 0, quarantine },
    $unset: { documentWanted: '', missingSince: '', suspectedAt: '' },
  } as const;
  await endStages(db, [{ claim, update }]);
  log.warn({ accession, ...why }, 'the document cannot replace the import');
}
