import { insertKey, isLive, type KeyDoc, keysOf, removeKey } from '../../store/account/keys.ts';
import { redisKeys } from '../redis-keys.ts';
import { digestOf, makeKey, newKeyId } from './key.ts';
import { cacheKey, type KeyStore } from './key-record.ts';

/** Maximum valid keys of an organisation. */
export const MAX_LIVE_KEYS = 20;

type WantedKey = Pick<KeyDoc, 'orgId' | 'label' | 'mode' | 'since' | 'callsOnly' | 'isRecovered'>;

/** The key itself, which is not stored, and its record. */
export type AddedKey = { readonly key: string; readonly doc: KeyDoc };

export type Minted = { readonly kind: 'minted'; readonly added: AddedKey } | { readonly kind: 'too_many' };

/**
 * Makes a key of an organisation that has fewer than `max`. The count is checked after
 * the insert, so concurrent calls cannot exceed it. A key above the limit, or one that could not be
 * copied to Redis, is removed before anyone sees it.
 * @param replaced a key that ends at once and does not count
 */
export async function mintKey(
  store: KeyStore,
  wanted: WantedKey,
  { replaced = null, max = MAX_LIVE_KEYS }: { readonly replaced?: string | null; readonly max?: number } = {},
): Promise<Minted> {
  const added = await addKey(store, wanted);
  const now = store.now().getTime();
  const keys = await keysOf(store.db, wanted.orgId);
  const live = keys.filter((key) => isLive(key, now) && key._id !== replaced);
  if (live.length > max) {
    await removeKey(store.db, added.doc._id);
    return { kind: 'too_many' };
  }
  try {
    await cacheKey(store.redis, redisKeys(store.tag), added.doc);
  } catch (error) {
    await removeKey(store.db, added.doc._id);
    throw error;
  }
  return { kind: 'minted', added };
}

/** Stores a new key in MongoDB, under another id when one is taken. The scripts do not know it yet. */
export async function addKey(
  store: KeyStore,
  wanted: WantedKey,
  makeId: (pepper: string) => string = newKeyId,
): Promise<AddedKey> {
  const { mode } = wanted;
  const { key, keyId } = makeKey(mode, makeId(store.pepper));
  const doc: KeyDoc = {
    _id: keyId,
    digest: digestOf(key, store.pepper),
    ...wanted,
    createdAt: store.now().toISOString(),
    lastUsedAt: null,
    revokedAt: null,
    expiresAt: null,
  };
  return (await insertKey(store.db, doc)) ? { key, doc } : addKey(store, wanted, makeId);
}
