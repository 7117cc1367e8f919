import { type Collection, type Db, MongoBulkWriteError } from 'mongodb';

/**
 * What has to be computed again, with a generation that every mark raises. Marks of one key
 * coalesce, so a storm of filings costs one recomputation; a result is published under the
 * generation that was read before its inputs, so an older one never replaces it.
 */
export type DirtyDoc = {
  /** `<kind>|<key>` */
  _id: string;
  kind: DirtyKind;
  key: string;
  generation: number;
  pending: boolean;
  /** When it was last marked. */
  at: string;
};

/** `report`: key `<cik>|<quarter end>`. `brief`: key is the ticker. */
export type DirtyKind = 'report' | 'brief';

export function dirtyIn(db: Db): Collection<DirtyDoc> {
  return db.collection<DirtyDoc>('dirty');
}

/** Marks the keys. To be called after the inputs that changed are written. */
export async function markDirty(db: Db, kind: DirtyKind, keys: Iterable<string>): Promise<void> {
  const at = new Date().toISOString();
  const writes = [...new Set(keys)].map((key) => ({
    updateOne: {
      filter: { _id: `${kind}|${key}` },
      update: { $inc: { generation: 1 }, $set: { kind, key, pending: true, at } },
      upsert: true,
    },
  }));
  for (let start = 0; start < writes.length; start += 1_000) {
    await bulkWithRetry(db, writes.slice(start, start + 1_000));
  }
}

/** Two upserts of one new key may collide; the one that lost is applied again, as an update. */
async function bulkWithRetry(
  db: Db,
  writes: Parameters<Collection<DirtyDoc>['bulkWrite']>[0],
): Promise<void> {
  try {
    await dirtyIn(db).bulkWrite(writes, { ordered: false });
  } catch (error) {
    if (!(error instanceof MongoBulkWriteError) || error.code !== 11000) throw error;
    const failed = [error.writeErrors].flat().map((one) => writes[one.index]);
    await dirtyIn(db).bulkWrite(failed.flatMap((write) => (write === undefined ? [] : [write])));
  }
}

/** The generation to read before the inputs; 0 for a key that was never marked. */
export async function generationOf(db: Db, kind: DirtyKind, key: string): Promise<number> {
  const doc = await dirtyIn(db).findOne({ _id: `${kind}|${key}` });
  return doc === null ? 0 : Number(doc.generation);
}

/** Takes the mark away unless the key was marked again since `generation`. */
export async function markClean(db: Db, kind: DirtyKind, key: string, generation: number): Promise<void> {
  await dirtyIn(db).updateOne({ _id: `${kind}|${key}`, generation }, { $set: { pending: false } });
}

export async function listDirty(db: Db, kind: DirtyKind, limit: number): Promise<DirtyDoc[]> {
  return dirtyIn(db).find({ pending: true, kind }).limit(limit).toArray();
}

export async function countDirty(db: Db, kind: DirtyKind): Promise<number> {
  return dirtyIn(db).countDocuments({ pending: true, kind });
}
