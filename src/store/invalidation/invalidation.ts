import type { AnyBulkWriteOperation, Db } from 'mongodb';
import type { Lane } from '../../domain/filing/lane.ts';
import type { Accession } from '../../domain/ids.ts';
import { inLists } from '../mongo/lists.ts';
import { UNJOURNALED } from '../mongo/write.ts';

/**
 * What has to be computed again, with a version that every invalidation raises (rule 13.3).
 * Invalidations of one key coalesce, so a storm of filings costs one computation. A result is
 * published under the version that was read before its inputs, so an older one never replaces it.
 */
export type InvalidationDoc = {
  /** `<kind>|<key>` */
  _id: string;
  kind: InvalidationKind;
  key: string;
  version: number;
  /** Another one for each raise: after a crash of MongoDB a version may be given a second time. */
  stamp: string;
  pending: boolean;
  /** Since when the pending key waits for a result, by the clock of the database; null before the first time. */
  at: Date | null;
  /** The most urgent lane that has invalidated the key since it was clean (rule 13.4). */
  lane: Lane;
  /**
   * How many of its versions left as they were: of a brief every position (rule 13.9), of a report the filings
   * that it is folded from (rule 13.3). Absent before the first.
   */
  unmoved?: number;
  /**
   * Of a brief: true when nobody asked for it lately, and a change leaves it to the next reader (rule 13.7);
   * absent until it is built or asked for.
   */
  onRead?: boolean;
  /** Of an issuer, since its last result: the filings that changed, and how many versions named theirs. */
  named?: Accession[];
  namings?: number;
  /** Of an issuer: the version of its last result, and whose rules it was computed by. */
  settled?: number;
  algorithm?: string;
};

/**
 * `report`: key `<cik>|<quarter end>`. `brief`: key is the ticker. `insider`: the issuer's CIK.
 * `peers`: the quarter end. `leaderboard`: the one key of all windows, and each quarter end for the
 * stamp of its reports (`store/report/quarter-reports.ts`). `holders`: `<part of the search>|<quarter end>`.
 * `search`: the part.
 */
export type InvalidationKind =
  | 'report'
  | 'peers'
  | 'brief'
  | 'insider'
  | 'leaderboard'
  | 'holders'
  | 'search';

/** The kind, and the lane of what changed. */
export type Laned = { readonly kind: InvalidationKind; readonly lane: Lane };

export const invalidationsIn = (db: Db) => db.collection<InvalidationDoc>('invalidations');

export const idOf = (kind: InvalidationKind, key: string): string => `${kind}|${key}`;

/** What a result is computed for. */
export type Versioning = {
  readonly version: number;
  /** The versions without those that are `unmoved`. */
  readonly edition: number;
};

export function versioningOf({
  version,
  unmoved = 0,
}: Pick<InvalidationDoc, 'version' | 'unmoved'>): Versioning {
  return { version: Number(version), edition: Number(version) - Number(unmoved) };
}

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
