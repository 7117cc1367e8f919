import type { Db, Document } from 'mongodb';
import { ALGORITHM_VERSION } from '../../domain/brief/manifest.ts';
import type { Lane } from '../../domain/filing/lane.ts';
import { groupBy } from '../../domain/group.ts';
import type { Accession, Cik } from '../../domain/ids.ts';
import { findByIds } from '../mongo/lists.ts';
import { UNJOURNALED } from '../mongo/write.ts';
import {
  type InvalidationDoc,
  idOf,
  invalidationsIn,
  raiseAll,
  raisedFields,
  settleInvalidations,
} from './invalidations.ts';

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
  const fields = raisedFields({ lane, pending: true, unmoved: false });
  await raiseAll(db, { kind: 'insider', fields, also }, filings.keys());
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

/** What is pending of an issuer. */
export type PendingFilings = {
  readonly version: number;
  /** The filings that changed since the last result; null when any may have. */
  readonly filings: readonly Accession[] | null;
};

/** What is pending of the issuers, to read before their filings; issuers of which nothing is are left out. */
export async function pendingFilings(db: Db, ciks: readonly Cik[]): Promise<Map<Cik, PendingFilings>> {
  const docs = await findByIds(
    invalidationsIn(db),
    ciks.map((cik) => idOf('insider', cik)),
  );
  const pending = docs.filter((doc) => doc.pending);
  return new Map(
    pending.map((doc) => {
      const filings = isNamed(doc) ? (doc.named ?? []) : null;
      return [doc.key as Cik, { version: Number(doc.version), filings }];
    }),
  );
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
 * {@link settleInvalidations} of issuers, each with its version. Where one was invalidated again since then, all filings
 * that were named stay: the run of the later version may have refused what this one wrote.
 */
export async function settleFilings(db: Db, versions: ReadonlyMap<Cik, number>): Promise<void> {
  if (versions.size === 0) return;
  const fields = { pending: false, at: '$$NOW', algorithm: ALGORITHM_VERSION, named: [], namings: 0 };
  const { matchedCount } = await invalidationsIn(db).bulkWrite(
    [...versions].map(([cik, version]) => ({
      updateOne: {
        filter: { _id: idOf('insider', cik), pending: true, version },
        update: [{ $set: { ...fields, settled: version } }],
      },
    })),
    { ordered: false, writeConcern: UNJOURNALED },
  );
  // Of those that are settled now none is pending under its version.
  if (Number(matchedCount) < versions.size) await settleInvalidations(db, 'insider', versions);
}
