import type { Collection, Db } from 'mongodb';

/** A key of an organisation. The key itself is nowhere: only its id and a keyed digest. */
export type KeyDoc = {
  /** The 8-character key id. */
  _id: string;
  /** HMAC-SHA256 of the key under the pepper, hex. */
  digest: string;
  orgId: string;
  label: string;
  createdAt: string;
  /** To the minute or so; null until first used. */
  lastUsedAt: string | null;
  revokedAt: string | null;
};

export function keysIn(db: Db): Collection<KeyDoc> {
  return db.collection<KeyDoc>('keys');
}

export async function ensureKeyIndexes(db: Db): Promise<void> {
  await keysIn(db).createIndex({ orgId: 1, createdAt: 1 });
}

export async function insertKey(db: Db, key: KeyDoc): Promise<void> {
  await keysIn(db).insertOne(key);
}

export async function findKey(db: Db, keyId: string): Promise<KeyDoc | null> {
  return keysIn(db).findOne({ _id: keyId });
}

/** Keys of one organisation, or of all; the oldest first. */
export async function keysOf(db: Db, orgId: string | null): Promise<KeyDoc[]> {
  return keysIn(db)
    .find(orgId === null ? {} : { orgId })
    .sort({ createdAt: 1, _id: 1 })
    .toArray();
}

/** Marks a key revoked; the first time stays. False when there is no such key. */
export async function markRevoked(db: Db, keyId: string, at: string): Promise<boolean> {
  const known = await keysIn(db).countDocuments({ _id: keyId }, { limit: 1 });
  await keysIn(db).updateOne({ _id: keyId, revokedAt: null }, { $set: { revokedAt: at } });
  return known > 0;
}

/** Writes when keys were last used, newest wins. */
export async function saveLastUsed(db: Db, used: ReadonlyMap<string, string>): Promise<void> {
  if (used.size === 0) return;
  await keysIn(db).bulkWrite(
    [...used].map(([keyId, at]) => ({
      updateOne: { filter: { _id: keyId }, update: { $max: { lastUsedAt: at } } },
    })),
    { ordered: false },
  );
}
