import type { Redis } from 'ioredis';
import { type KeyDoc, keysIn } from '../store/keys.ts';
import type { CreditStore } from './grant.ts';
import { type RedisKeys, redisKeys } from './redis-keys.ts';

/**
 * Copies a key from Mongo into Redis. Only absent fields are written and a revocation is never
 * taken back, so that a copy made from an older read cannot revive a key revoked meanwhile.
 */
export async function projectKey(redis: Redis, keys: RedisKeys, key: KeyDoc): Promise<void> {
  const name = keys.key(key._id);
  if (key.revokedAt !== null) await redis.hset(name, 'x', '1');
  await Promise.all([redis.hsetnx(name, 'd', key.digest), redis.hsetnx(name, 'o', key.orgId)]);
}

/** From now on every script refuses the key, in every process: they all read this record. */
export async function revokeRecord(redis: Redis, keys: RedisKeys, keyId: string): Promise<void> {
  await redis.hset(keys.key(keyId), 'x', '1');
}

/**
 * Tells Redis again of every key that Mongo knows as revoked. Redis may lose the last second before
 * a crash, and the scripts look nowhere else, so that a revoked key would be good again.
 */
export async function reconcileRevocations({ db, redis, tag }: CreditStore): Promise<void> {
  const keys = redisKeys(tag);
  const revoked = keysIn(db).find({ revokedAt: { $ne: null } }, { projection: { _id: 1 } });
  for await (const { _id } of revoked) await revokeRecord(redis, keys, _id);
}

/**
 * {@link reconcileRevocations} whenever the credits Redis is back, tried again until it is through:
 * both services may be restarting together. Answers how to stop listening.
 */
export function keepRevocations(store: CreditStore, onFailure: (error: unknown) => void): () => void {
  let retry: NodeJS.Timeout | undefined;
  let isStopped = false;
  const reconcile = async (): Promise<void> => {
    clearTimeout(retry);
    try {
      await reconcileRevocations(store);
    } catch (error) {
      onFailure(error);
      if (!isStopped) retry = setTimeout(reconcile, RETRY_MS).unref();
    }
  };
  store.redis.on('ready', reconcile);
  return () => {
    isStopped = true;
    clearTimeout(retry);
    store.redis.off('ready', reconcile);
  };
}

/** Well inside the five seconds in which a revocation holds everywhere (contract 3). */
const RETRY_MS = 1_000;
