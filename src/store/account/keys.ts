import type { Db, UpdateFilter } from 'mongodb';
import { insertOrLose } from '../mongo/write.ts';

/** A key of an organisation. The key itself is not stored, only its id and a keyed digest. */
export type KeyDoc = {
  /** The 8-character key id. */
  _id: string;
  /** HMAC-SHA256 of the key under the pepper, hex. */
  digest: string;
  orgId: string;
  /** A test key calls the sandbox only. */
  mode: KeyMode;
  /** It signs nobody in: whoever finds it in a log can spend credits, and has no account. */
  callsOnly?: true;
  /** Made with the recovery code, so that only the code, or itself, ends it. */
  isRecovered?: true;
  label: string;
  createdAt: string;
  /** Of a key that took the place of another: when the first of them was made. */
  since?: string;
  /** To about a minute; null until first used. */
  lastUsedAt: string | null;
  revokedAt: string | null;
  /** When a key that was replaced stops working; null for never. Only ever brought forward. */
  expiresAt: string | null;
  /** When a revocation of it was looked at, until that is decided. */
  endingSince?: string;
};

export type KeyMode = 'live' | 'test';

export const keysIn = (db: Db) => db.collection<KeyDoc>('keys');

/** False when another key has this id. */
export function insertKey(db: Db, key: KeyDoc): Promise<boolean> {
  return insertOrLose(keysIn(db), key);
}

export function findKey(db: Db, keyId: string): Promise<KeyDoc | null> {
  return keysIn(db).findOne({ _id: keyId });
}

/** Keys of one organisation, or of all; the oldest first. */
export function keysOf(db: Db, orgId: string | null): Promise<KeyDoc[]> {
  return keysIn(db)
    .find(orgId === null ? {} : { orgId })
    .sort({ createdAt: 1, _id: 1 })
    .toArray();
}

/** Keys that are revoked or have an expiry; a key with both comes twice. Reads the whole collection. */
export async function* endingKeys(db: Db): AsyncGenerator<KeyDoc> {
  yield* keysIn(db).find({ revokedAt: { $ne: null } });
  yield* keysIn(db).find({ expiresAt: { $gt: '' } });
}

/** The ids of keys that are not revoked. */
export async function* unrevokedIds(db: Db): AsyncGenerator<string> {
  const found = keysIn(db).find({ revokedAt: null }, { projection: { _id: 1 } });
  for await (const { _id } of found) yield _id;
}

/** Whether the key is accepted at that time. */
export function isLive(key: KeyDoc, now: number): boolean {
  return key.revokedAt === null && (key.expiresAt === null || Date.parse(key.expiresAt) > now);
}

/**
 * Whether a session of the second key needs the recovery code to end the first one: it is older, or was made with that
 * code. One that was replaced ends anyway.
 */
export function isAbove(
  key: Pick<KeyDoc, '_id' | 'createdAt' | 'since' | 'expiresAt' | 'isRecovered'>,
  other: Pick<KeyDoc, '_id' | 'createdAt' | 'since'>,
): boolean {
  if (key.expiresAt !== null || key._id === other._id) return false;
  return key.isRecovered === true || sinceOf(key) < sinceOf(other);
}

/** As old as the first key that it replaces: a rotation of an old key gives younger ones no right over it. */
export function sinceOf({ createdAt, since }: Pick<KeyDoc, 'createdAt' | 'since'>): string {
  return since ?? createdAt;
}

/** Marks a key revoked; the first time stays. False when there is no such key. */
export async function markRevoked(db: Db, keyId: string, at: string): Promise<boolean> {
  const known = await keysIn(db).countDocuments({ _id: keyId }, { limit: 1 });
  await keysIn(db).updateOne(
    { _id: keyId, revokedAt: null },
    { $set: { revokedAt: at }, $unset: { endingSince: '' } },
  );
  return known > 0;
}

/** Says that a key is about to be revoked, or, without a time, that it is not. */
export async function noteEnding(db: Db, keyId: string, at: string | null): Promise<void> {
  const change: UpdateFilter<KeyDoc> =
    at === null ? { $unset: { endingSince: '' } } : { $set: { endingSince: at } };
  await keysIn(db).updateOne({ _id: keyId, revokedAt: null }, change);
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

/**
 * Ends a key, now or later, if nothing has ended it yet. Of several calls at once one returns true.
 * False when the key is revoked, has an expiry, or does not exist.
 */
export async function endOnce(
  db: Db,
  keyId: string,
  end: { readonly revokedAt: string } | { readonly expiresAt: string },
): Promise<boolean> {
  const going = { _id: keyId, revokedAt: null, expiresAt: null };
  return (await keysIn(db).updateOne(going, { $set: end })).matchedCount === 1;
}

/** Names a key of the organisation; false when it has none of that id. */
export async function labelKey(db: Db, key: Pick<KeyDoc, '_id' | 'orgId' | 'label'>): Promise<boolean> {
  const { _id, orgId, label } = key;
  return (await keysIn(db).updateOne({ _id, orgId }, { $set: { label } })).matchedCount === 1;
}

/** Removes a key that was not shown to anyone. */
export async function removeKey(db: Db, keyId: string): Promise<void> {
  await keysIn(db).deleteOne({ _id: keyId });
}
