import type { Redis } from 'ioredis';
import { AppError } from '../../errors.ts';
import { endingKeys, type KeyDoc } from '../../store/account/keys.ts';
import type { CreditStore } from '../grant.ts';
import { type RedisKeys, redisKeys } from '../redis-keys.ts';
import { loadScript } from '../script.ts';

const runCacheKey = loadScript(new URL('cache-key.lua', import.meta.url));

/**
 * Copies a key from Mongo into Redis. A copy made from an older read cannot revive a key revoked
 * meanwhile, nor put off an expiry brought forward meanwhile.
 */
export async function cacheKey(redis: Redis, keys: RedisKeys, key: KeyDoc): Promise<void> {
  const expiry = key.expiresAt === null ? '' : String(Date.parse(key.expiresAt));
  const args = [key.digest, key.orgId, key.revokedAt === null ? '0' : '1', expiry];
  const reply = await runCacheKey(redis, [keys.key(key._id)], args);
  if (reply !== 'OK') throw new AppError('script_reply', `cache-key.lua answered ${JSON.stringify(reply)}`);
}

/** From now on every script refuses the key, in every process: they all read this record. */
export async function revokeRecord(redis: Redis, keys: RedisKeys, keyId: string): Promise<void> {
  await redis.hset(keys.key(keyId), 'x', '1');
}

/**
 * Tells Redis again of every key that Mongo knows as revoked or expiring. Redis may lose the last
 * second before a crash, and the scripts look nowhere else, so that such a key would be good again.
 */
export async function reconcileRevocations({ db, redis, tag }: CreditStore): Promise<void> {
  const keys = redisKeys(tag);
  for await (const key of endingKeys(db)) await cacheKey(redis, keys, key);
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

/** Well inside the five seconds in which a revocation holds everywhere (rule 12.1). */
const RETRY_MS = 1_000;
