import type { Db, Document } from 'mongodb';
import { ALGORITHM_VERSION } from '../../domain/brief/manifest.ts';
import type { Lane } from '../../domain/filing/lane.ts';
import { groupBy } from '../../domain/group.ts';
import type { Accession, Cik } from '../../domain/ids.ts';
import { UNJOURNALED } from '../mongo/write.ts';
import { raiseAll, raisedFields } from './invalidate.ts';
import {
  type InvalidationDoc,
  idOf,
  invalidationsIn,
  knownInvalidation,
  settleInvalidation,
} from './invalidation.ts';

/** An issuer with more filings is read whole. */
const MAX_NAMED = 250;

/**
 * {@link invalidate} of issuers, each with the filings that changed. A version that was raised without filings
 * stands for all of the issuer's: then {@link pendingFilings} names none.
 */
export async function invalidateNaming(
  db: Db,
  lane: Lane,
  filings: ReadonlyMap<Cik, readonly Accession[]>,
): Promise<void> {
  const also = (key: string): Document => namedBesides(filings.get(key as Cik) ?? []);
  await raiseAll(db, { kind: 'insider', fields: raisedFields({ lane }), also }, filings.keys());
}

/** The filings of each issuer. */
export function namedByIssuer(filings: readonly (readonly [Cik, Accession])[]): Map<Cik, Accession[]> {
  const byIssuer = groupBy(filings, ([issuerCik]) => issuerCik);
  return new Map([...byIssuer].map(([cik, own]) => [cik, own.map(([, accession]) => accession)]));
}

function namedBesides(filings: readonly Accession[]): Document {
  const named = { $ifNull: ['$named', []] };
  const all = { $setUnion: [named, filings] };
  const isFull = { $gt: [{ $size: all }, MAX_NAMED] };
  return {
    named: { $cond: [isFull, named, all] },
    namings: { $add: [{ $ifNull: ['$namings', 0] }, { $cond: [isFull, 0, 1] }] },
  };
}

type Pending = {
  readonly version: number;
  /** The filings that changed since the last result; null when any may have. */
  readonly filings: readonly Accession[] | null;
};

/** What is pending of an issuer, to read before its filings; null when nothing is. */
export async function pendingFilings(db: Db, issuerCik: Cik): Promise<Pending | null> {
  const doc = await knownInvalidation(db, 'insider', issuerCik);
  if (!doc?.pending) return null;
  return { version: Number(doc.version), filings: isNamed(doc) ? (doc.named ?? []) : null };
}

/** Whether each version since a result of these rules named its filings. */
function isNamed({ version, settled, namings, algorithm }: InvalidationDoc): boolean {
  return (
    settled !== undefined &&
    algorithm === ALGORITHM_VERSION &&
    Number(version) === Number(settled) + Number(namings ?? 0)
  );
}

/**
 * {@link settleInvalidation} of an issuer. Where it was invalidated again since `version`, all filings that were
 * named stay: the run of the later version may have refused what this one wrote.
 */
export async function settleFilings(db: Db, issuerCik: Cik, version: number): Promise<void> {
  const fields = { pending: false, at: '$$NOW', settled: version, algorithm: ALGORITHM_VERSION };
  const { matchedCount } = await invalidationsIn(db).updateOne(
    { _id: idOf('insider', issuerCik), pending: true, version },
    [{ $set: { ...fields, named: [], namings: 0 } }],
    { writeConcern: UNJOURNALED },
  );
  if (matchedCount === 0) await settleInvalidation(db, 'insider', issuerCik, version);
}
