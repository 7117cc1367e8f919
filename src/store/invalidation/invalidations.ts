import { randomUUID } from 'node:crypto';
import type { AnyBulkWriteOperation, Db, Document } from 'mongodb';
import { LAST_LANE, type Lane, lanesBefore } from '../../domain/filing/lane.ts';
import { batches } from '../../domain/group.ts';
import type { Accession } from '../../domain/ids.ts';
import { AppError } from '../../errors.ts';
import { findByIds, inLists, MAX_LIST } from '../mongo/lists.ts';
import { noteOnce, UNJOURNALED } from '../mongo/write.ts';

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
 * `peers`: the quarter end. `leaderboard`: the one key of all windows, and for its
 * stamp each quarter end. `holders`: `<part of the search>|<quarter end>`.
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

export const invalidationsIn = (db: Db) => db.collection<InvalidationDoc>('invalidations');

const keys = noteOnce<InvalidationDoc>(invalidationsIn, UNJOURNALED);

export const idOf = (kind: InvalidationKind, key: string): string => `${kind}|${key}`;

/** The kind, and the lane of what changed. */
type Laned = { readonly kind: InvalidationKind; readonly lane: Lane };

/** What changed. */
type Changed = {
  readonly lane?: Lane;
  /** Something besides positions, of a report besides its filings: the edition stays as it is. */
  readonly unmoved?: boolean;
};

/**
 * Call it after the changed inputs are written, and before the journaled write that notes it. That
 * write makes the invalidations durable too, because the journal is in order.
 */
export async function invalidate(
  db: Db,
  of: InvalidationKind | (Laned & Changed),
  wanted: Iterable<string>,
): Promise<void> {
  const { kind, ...changed } = typeof of === 'string' ? { kind: of, lane: LAST_LANE } : of;
  const fields = raisedFields({ unmoved: false, ...changed, pending: true });
  await raiseAll(db, { kind, fields }, wanted);
}

/**
 * The same for briefs that a change of a security touches. One with `onRead` is not pending then: no worker
 * builds it, and its version says to the next reader that it is outdated.
 */
export async function invalidateBriefs(
  db: Db,
  tickers: Iterable<string>,
  { lane = LAST_LANE, unmoved = false }: Changed = {},
): Promise<void> {
  const pending = { $or: ['$pending', { $ne: ['$onRead', true] }] };
  await raiseAll(db, { kind: 'brief', fields: raisedFields({ lane, pending, unmoved }) }, tickers);
}

type Raise = {
  readonly kind: InvalidationKind;
  /** What is set beside a new stamp, as expressions: {@link raisedFields}, or nothing. */
  readonly fields: object;
  /** Further fields of a key, as expressions. */
  readonly also?: (key: string) => Document;
};

export async function raiseAll(db: Db, raised: Raise, wanted: Iterable<string>): Promise<void> {
  const { kind } = raised;
  // In one order everywhere: two processes that raise the same keys wait for each other and do not retry.
  for (const batch of batches([...new Set(wanted)].sort(), MAX_LIST)) {
    if (await raise(db, raised, batch)) continue;
    // A crash of the database lost keys that were inserted and not journaled yet: insert them again.
    keys.forget(
      db,
      batch.map((key) => idOf(kind, key)),
    );
    if (await raise(db, raised, batch)) continue;
    const message = `invalidations of kind ${kind} were lost while they were written`;
    throw new AppError('invalidations_lost', message, { retry: true });
  }
}

async function noteKeys(db: Db, kind: InvalidationKind, batch: readonly string[]): Promise<void> {
  const docs = batch.map((key) => ({
    _id: idOf(kind, key),
    kind,
    key,
    version: 0,
    stamp: '',
    pending: false,
    at: null,
    lane: LAST_LANE,
  }));
  await keys.note(db, docs);
}

/** A key that is pending keeps its place: it would never come up if each invalidation sent it to the back. */
const RAISED = { version: { $add: ['$version', 1] }, at: { $cond: ['$pending', '$at', '$$NOW'] } };

const UNMOVED = { unmoved: { $add: [{ $ifNull: ['$unmoved', 0] }, 1] } };

/** A pending key keeps a lane that is more urgent. */
const raisedTo = (lane: Lane) => ({
  $cond: [{ $and: ['$pending', { $in: ['$lane', lanesBefore(lane)] }] }, '$lane', lane],
});

type Raised = {
  readonly lane: Lane;
  /** Whether a raised key is pending, as an expression of MongoDB. */
  readonly pending: boolean | object;
  readonly unmoved: boolean;
};

/** The next version of a key. */
export function raisedFields({ lane, pending, unmoved }: Raised): object {
  return { ...RAISED, ...(unmoved ? UNMOVED : {}), pending, lane: raisedTo(lane) };
}

/**
 * False when not every key was there to be raised. One insert for new keys and one update for all
 * costs a tenth of an upsert for each.
 */
async function raise(db: Db, { kind, fields: raised, also }: Raise, batch: readonly string[]) {
  await noteKeys(db, kind, batch);
  const fields = { ...raised, stamp: randomUUID() };
  const { matchedCount } = await (also === undefined
    ? invalidationsIn(db).updateMany(
        { _id: { $in: batch.map((key) => idOf(kind, key)) } },
        [{ $set: fields }],
        { writeConcern: UNJOURNALED },
      )
    : invalidationsIn(db).bulkWrite(
        batch.map((key) => ({
          updateOne: { filter: { _id: idOf(kind, key) }, update: [{ $set: { ...fields, ...also(key) } }] },
        })),
        { writeConcern: UNJOURNALED },
      ));
  return Number(matchedCount) === batch.length;
}

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

/**
 * Raises the versions of keys and returns them, without making the keys pending: for a run that computes
 * them itself. A job that read an earlier version leaves its key pending, or is refused when it saves.
 */
export async function reserveVersions(
  db: Db,
  kind: InvalidationKind,
  wanted: readonly string[],
): Promise<Map<string, Versioning>> {
  const versions = new Map<string, Versioning>();
  for (const batch of batches([...new Set(wanted)], MAX_LIST)) {
    const ids = batch.map((key) => idOf(kind, key));
    await noteKeys(db, kind, batch);
    await invalidationsIn(db).updateMany(
      { _id: { $in: ids } },
      { $inc: { version: 1 }, $set: { stamp: randomUUID() } },
    );
    const docs = await findByIds(invalidationsIn(db), ids, { key: 1, version: 1, unmoved: 1 });
    for (const doc of docs) versions.set(doc.key, versioningOf(doc));
  }
  return versions;
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

/**
 * Pending reports and peers. Each invalidates the other before it is settled itself: reports their
 * quarter, the quarter its reports, and those the quarter once more, where it ends. So zero in this
 * order of reads means that none was missed.
 */
export async function countUnsettled(db: Db): Promise<number> {
  for (const kind of ['report', 'peers', 'report', 'peers'] as const) {
    const count = await countPending(db, kind);
    if (count > 0) return count;
  }
  return 0;
}
