import { endOnce, findKey, isLive, removeKey, sinceOf } from '../../store/account/keys.ts';
import { redisKeys } from '../redis-keys.ts';
import { type AddedKey, mintKey } from './key-mint.ts';
import { cacheKey } from './key-record.ts';
import type { KeyStore } from './key-store.ts';

const HOUR_MS = 3_600_000;

/** How long the old key stays valid next to the new one. */
export const OVERLAPS = { now: 0, day: 24 * HOUR_MS, week: 7 * 24 * HOUR_MS } as const;

export type Overlap = keyof typeof OVERLAPS;

export type Rotated =
  | { readonly kind: 'rotated'; readonly added: AddedKey; readonly oldKeyEndsAt: string }
  /** Unknown, of another organisation, ended, or already being replaced. */
  | { readonly kind: 'not_rotatable' }
  | { readonly kind: 'too_many' };

/**
 * Replaces a key by a new one with the same label and mode. The new key is made first, so a crash in
 * between leaves two keys, never none. Of concurrent calls, the one that ends the old key returns its
 * new key; the others remove theirs.
 */
export async function rotateKey(
  store: KeyStore,
  { orgId, keyId }: { readonly orgId: string; readonly keyId: string },
  overlap: Overlap,
): Promise<Rotated> {
  const old = await findKey(store.db, keyId);
  const now = store.now().getTime();
  if (old === null || old.orgId !== orgId || !isLive(old, now) || old.expiresAt !== null) {
    return { kind: 'not_rotatable' };
  }
  const { label, mode, callsOnly, isRecovered } = old;
  const wanted = {
    ...{ orgId, label, mode, since: sinceOf(old) },
    ...(callsOnly === true ? { callsOnly } : {}),
    ...(isRecovered === true ? { isRecovered } : {}),
  };
  const minted = await mintKey(store, wanted, { replaced: overlap === 'now' ? keyId : null });
  if (minted.kind === 'too_many') return minted;
  const { added } = minted;
  const oldKeyEndsAt = new Date(now + OVERLAPS[overlap]).toISOString();
  const end = overlap === 'now' ? { revokedAt: oldKeyEndsAt } : { expiresAt: oldKeyEndsAt };
  const keys = redisKeys(store.tag);
  if (!(await endOnce(store.db, keyId, end))) {
    await removeKey(store.db, added.doc._id);
    await store.redis.del(keys.key(added.doc._id));
    return { kind: 'not_rotatable' };
  }
  // MongoDB first, then the record that every script reads.
  await cacheKey(store.redis, keys, { ...old, ...end });
  return { kind: 'rotated', added, oldKeyEndsAt };
}
