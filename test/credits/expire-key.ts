import type { Db } from 'mongodb';
import { findKey, type KeyDoc, keysIn } from '../../src/store/account/keys.ts';

/**
 * Lets a key expire, or expire earlier, and returns it as it is then; null when there is none. An
 * earlier expiry and a revocation stay.
 */
export async function expireKey(db: Db, keyId: string, at: string): Promise<KeyDoc | null> {
  const known = await findKey(db, keyId);
  if (known === null || (known.expiresAt !== null && known.expiresAt <= at)) return known;
  const seen = { _id: keyId, expiresAt: known.expiresAt };
  const changed = await keysIn(db).updateOne(seen, { $set: { expiresAt: at } });
  return changed.matchedCount === 1 ? { ...known, expiresAt: at } : expireKey(db, keyId, at);
}
