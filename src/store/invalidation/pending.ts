import type { AnyBulkWriteOperation, Db } from 'mongodb';
import { inLists } from '../mongo/lists.ts';
import { UNJOURNALED } from '../mongo/write.ts';
import {
  type InvalidationDoc,
  type InvalidationKind,
  idOf,
  invalidationsIn,
  type Laned,
  versioningOf,
} from './invalidation.ts';

/** The version and lane of a pending key, to read before the inputs; null when the key is not pending. */
export async function pendingInvalidation(db: Db, kind: InvalidationKind, key: string) {
  const doc = await knownInvalidation(db, kind, key);
  return doc?.pending ? { ...versioningOf(doc), lane: doc.lane } : null;
}

/** Sends pending keys to the back: what failed must not keep others from their turn. */
export async function postponeInvalidations(db: Db, kind: InvalidationKind, keys: readonly string[]) {
  for (const list of inLists(keys.map((key) => idOf(kind, key)))) {
    const update = [{ $set: { at: '$$NOW' } }];
    await invalidationsIn(db).updateMany({ _id: list, pending: true }, update, { writeConcern: UNJOURNALED });
  }
}

/** The version alone of {@link pendingInvalidation}. */
export async function pendingVersion(db: Db, kind: InvalidationKind, key: string): Promise<number | null> {
  return (await pendingInvalidation(db, kind, key))?.version ?? null;
}

/** What is stored of a key, pending or not; null when it was never invalidated. */
export function knownInvalidation(db: Db, kind: InvalidationKind, key: string) {
  return invalidationsIn(db).findOne({ _id: idOf(kind, key) });
}

/** The version alone of {@link knownInvalidation}. */
export async function knownVersion(db: Db, kind: InvalidationKind, key: string): Promise<number | null> {
  const doc = await knownInvalidation(db, kind, key);
  return doc === null ? null : Number(doc.version);
}

/**
 * Clears the key. A key that was invalidated again since `version` stays pending and goes to the back,
 * because it has just got a result. Not journaled by itself: a key that is pending again after a crash
 * costs one more computation.
 */
export async function settleInvalidation(db: Db, kind: InvalidationKind, key: string, version: number) {
  await settleInvalidations(db, kind, new Map([[key, version]]));
}

/** The same for several keys, each with its version, in one command. */
export async function settleInvalidations(
  db: Db,
  kind: InvalidationKind,
  versions: ReadonlyMap<string, number>,
): Promise<void> {
  const settled = [...versions].map(([key, version]): AnyBulkWriteOperation<InvalidationDoc> => {
    const update = [{ $set: { pending: { $ne: ['$version', version] }, at: '$$NOW' } }];
    return { updateOne: { filter: { _id: idOf(kind, key), pending: true }, update } };
  });
  if (settled.length === 0) return;
  await invalidationsIn(db).bulkWrite(settled, { ordered: false, writeConcern: UNJOURNALED });
}

/**
 * The pending keys of a kind, or of one of its lanes, each lane oldest first: so no key starves behind keys
 * that are invalidated over and over (rule 13.3).
 */
export async function listPending(
  db: Db,
  of: InvalidationKind | Laned,
  limit: number,
): Promise<InvalidationDoc[]> {
  const which = typeof of === 'string' ? { kind: of } : of;
  return invalidationsIn(db)
    .find({ pending: true, ...which })
    .sort({ lane: 1, at: 1 })
    .limit(limit)
    .toArray();
}

export async function countPending(db: Db, kind: InvalidationKind): Promise<number> {
  return invalidationsIn(db).countDocuments({ pending: true, kind });
}

/** Every key of the kind, pending or not. */
export async function knownKeys(db: Db, kind: InvalidationKind): Promise<string[]> {
  return invalidationsIn(db).distinct('key', { kind });
}

export async function hasPending(db: Db, kind: InvalidationKind): Promise<boolean> {
  return (await invalidationsIn(db).findOne({ pending: true, kind }, { projection: { _id: 1 } })) !== null;
}

/**
 * Whether reports or peers are pending. Each invalidates the other before it is settled itself: reports their
 * quarter, the quarter its reports, and those the quarter once more, where it ends. So nothing in this
 * order of reads means that none was missed.
 */
export async function hasUnsettled(db: Db): Promise<boolean> {
  for (const kind of ['report', 'peers', 'report', 'peers'] as const) {
    if (await hasPending(db, kind)) return true;
  }
  return false;
}
