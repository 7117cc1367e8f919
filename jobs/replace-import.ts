import type { Accession } from '../src/domain/ids.ts';
import type { Fetched } from '../src/edgar/client/open.ts';
import { EdgarError } from '../src/edgar/error.ts';
import { type Claim, claimFilings, endStages, type Unit } from '../src/store/filing/claims.ts';
import { keepRaw } from '../src/store/filing/raw.ts';
import { type Refusal, readingOf, replaceReading, saveRows } from './reading.ts';
import {
  CRASH_LOOP,
  FETCH_LEASE_MS,
  isCrashLoop,
  type Suspicion,
  suspicionOf,
  underClaims,
} from './stage.ts';
import type { JobContext } from './worker/context.ts';

/**
 * Replaces an imported filing by its document, where that is wanted: what the data set says stands until the document
 * is read, and where it cannot be.
 * @param download an answer that will not change is an outcome
 */
export async function replaceImport(
  context: JobContext,
  accession: Accession,
  download: (claim: Claim) => Promise<Fetched | EdgarError>,
): Promise<void> {
  const { db, now, parser } = context;
  const where = { state: 'parsed', documentWanted: true } as const;
  // Without a try: a worker that is killed while it downloads is no fault of the document.
  const claiming = { where, leaseMs: FETCH_LEASE_MS, now: now(), counted: 0 } as const;
  await underClaim(context, await claimFilings(db, [accession], claiming), async (claim) => {
    const answer = await download(claim);
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
