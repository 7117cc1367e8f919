import type { Collection, Db } from 'mongodb';
import { AppError } from '../../errors.ts';
import { insertNew, UNJOURNALED } from '../mongo/insert-new.ts';

/**
 * What has to be computed again, with a version that every mark raises (rule 13.3). Marks of one key
 * coalesce, so a storm of filings costs one recomputation; a result is published under the
 * version that was read before its inputs, so an older one never replaces it.
 */
export type InvalidationDoc = {
  /** `<kind>|<key>` */
  _id: string;
  kind: InvalidationKind;
  key: string;
  version: number;
  pending: boolean;
  /** When it was last marked. */
  at: string;
};

/**
 * `report`: key `<cik>|<quarter end>`. `brief`: key is the ticker. `insider`: the issuer's CIK.
 * `peers`: the quarter end. `leaderboard`: its one key. `holders`: `<part of the search>|<quarter end>`. `search`: the part.
 */
export type InvalidationKind =
  | 'report'
  | 'peers'
  | 'brief'
  | 'insider'
  | 'leaderboard'
  | 'holders'
  | 'search';

export function invalidationsIn(db: Db): Collection<InvalidationDoc> {
  return db.collection<InvalidationDoc>('invalidations');
}

/** Ids that exist, per database, as far as this process knows: their insertion is not tried again. */
const noted = new Map<string, Set<string>>();
const BATCH = 2_000;

/**
 * Marks the keys. To be called after the inputs that changed are written, and before the journaled
 * write that says so: that one makes the marks durable too, because the journal is in order.
 */
export async function invalidate(db: Db, kind: InvalidationKind, keys: Iterable<string>): Promise<void> {
  const at = new Date().toISOString();
  const all = [...new Set(keys)];
  for (let start = 0; start < all.length; start += BATCH) {
    const batch = all.slice(start, start + BATCH);
    await ensureKeys(db, kind, batch);
    if (await raiseKeys(db, { kind, keys: batch, at })) continue;
    // A crash of the database took keys that were inserted and not journaled yet: once more, as if new.
    for (const key of batch) noted.get(db.databaseName)?.delete(`${kind}|${key}`);
    await ensureKeys(db, kind, batch);
    if (await raiseKeys(db, { kind, keys: batch, at })) continue;
    throw new AppError('marks_lost', `marks of kind ${kind} were lost while they were written`, {
      retry: true,
    });
  }
}

type Batch = { readonly kind: InvalidationKind; readonly keys: readonly string[]; readonly at: string };

/** False where not every key was there to be marked. */
async function raiseKeys(db: Db, { kind, keys, at }: Batch): Promise<boolean> {
  const ids = keys.map((key) => `${kind}|${key}`);
  const { matchedCount } = await invalidationsIn(db).updateMany(
    { _id: { $in: ids } },
    { $inc: { version: 1 }, $set: { pending: true, at } },
    { writeConcern: UNJOURNALED },
  );
  return Number(matchedCount) === keys.length;
}

/** One insert for new keys and one update for all is a tenth of the cost of an upsert for each. */
async function ensureKeys(db: Db, kind: InvalidationKind, keys: readonly string[]): Promise<void> {
  const known = noted.get(db.databaseName) ?? new Set<string>();
  noted.set(db.databaseName, known);
  const fresh = keys
    .map((key) => ({ _id: `${kind}|${key}`, kind, key, version: 0, pending: false, at: '' }))
    .filter((doc) => !known.has(doc._id));
  await insertNew(invalidationsIn(db), fresh);
  for (const doc of fresh) known.add(doc._id);
}

/** The version to read before the inputs; 0 for a key that was never marked. */
export async function versionOf(db: Db, kind: InvalidationKind, key: string): Promise<number> {
  const doc = await invalidationsIn(db).findOne({ _id: `${kind}|${key}` });
  return doc === null ? 0 : Number(doc.version);
}

/**
 * Takes the mark away unless the key was marked again since `version`. Not journaled by itself: a
 * mark that comes back after a crash costs one more computation.
 */
export async function settleInvalidation(
  db: Db,
  kind: InvalidationKind,
  key: string,
  version: number,
): Promise<void> {
  await invalidationsIn(db).updateOne(
    { _id: `${kind}|${key}`, version },
    { $set: { pending: false } },
    { writeConcern: UNJOURNALED },
  );
}

export async function listPending(db: Db, kind: InvalidationKind, limit: number): Promise<InvalidationDoc[]> {
  return invalidationsIn(db).find({ pending: true, kind }).limit(limit).toArray();
}

export async function countPending(db: Db, kind: InvalidationKind): Promise<number> {
  return invalidationsIn(db).countDocuments({ pending: true, kind });
}

/**
 * Reports and peers together: each marks the other before it is clean itself. A mark goes from
 * reports to their quarter, from there to reports and once more to the quarter, where it ends; so
 * whoever finds none in this order of reads has missed none.
 */
export async function countUnsettled(db: Db): Promise<number> {
  let count = 0;
  for (const kind of ['report', 'peers', 'report', 'peers'] as const) {
    count = Math.max(count, await countPending(db, kind));
    if (count > 0) return count;
  }
  return count;
}
