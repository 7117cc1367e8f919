import { insertKey, isLive, type KeyDoc, type KeyMode, keysOf, removeKey } from '../../store/account/keys.ts';
import type { CreditStore } from '../grant.ts';
import { redisKeys } from '../redis-keys.ts';
import { digestOf, makeKey } from './key.ts';
import { cacheKey } from './key-record.ts';

/** Most keys of an organisation that open something at one time. */
export const MAX_LIVE_KEYS = 20;

/** A store that can make keys: it knows the pepper of their digests. */
export type KeyStore = CreditStore & { readonly pepper: string };

export type WantedKey = { readonly orgId: string; readonly label: string; readonly mode: KeyMode };

/** The key itself, which nothing can show again, and what is kept of it. */
export type AddedKey = { readonly key: string; readonly doc: KeyDoc };

export type Minted = { readonly kind: 'minted'; readonly added: AddedKey } | { readonly kind: 'too_many' };

/**
 * Makes a key of an organisation that has fewer than {@link MAX_LIVE_KEYS}. Judged after the insert, so
 * that of many at once none passes the bound; one too many is taken away before anything knows it, and
 * so is one that Redis could not be told of: nobody will be shown it.
 * @param replaced a key that ends at once and does not count
 */
export async function mintKey(
  store: KeyStore,
  wanted: WantedKey,
  replaced: string | null = null,
): Promise<Minted> {
  const added = await addKey(store, wanted);
  const now = Date.now();
  const keys = await keysOf(store.db, wanted.orgId);
  const live = keys.filter((key) => isLive(key, now) && key._id !== replaced);
  if (live.length > MAX_LIVE_KEYS) {
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

/** Keeps a new key in Mongo; the scripts do not know it yet. */
export async function addKey(store: KeyStore, { orgId, label, mode }: WantedKey): Promise<AddedKey> {
  const { key, keyId } = makeKey(mode);
  const doc: KeyDoc = {
    _id: keyId,
    digest: digestOf(key, store.pepper),
    orgId,
    mode,
    label,
    createdAt: new Date().toISOString(),
    lastUsedAt: null,
    revokedAt: null,
    expiresAt: null,
  };
  await insertKey(store.db, doc);
  return { key, doc };
}
