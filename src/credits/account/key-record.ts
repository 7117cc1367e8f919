import type { Redis } from 'ioredis';
import { type Config, generatedSecret, requireSecrets } from '../../config.ts';
import { endingKeys, endOnce, type KeyDoc, markRevoked, unrevokedIds } from '../../store/account/keys.ts';
import { settingOnce } from '../../store/filing/settings.ts';
import { isKeyPart, type RedisKeys, redisKeys, removeUnless } from '../redis-keys.ts';
import { type CreditContext, type CreditStore, creditStoreOf } from '../store.ts';

/**
 * Copies a key from MongoDB to the record that the scripts read (enter.lua). A copy of an older read never revives a
 * revoked key and never postpones an expiry. What ends the key comes first, and without its digest it is unknown.
 */
export async function cacheKey(redis: Redis, keys: RedisKeys, key: KeyDoc): Promise<void> {
  const name = keys.key(key._id);
  if (key.revokedAt !== null) await redis.hset(name, 'x', '1');
  if (key.expiresAt !== null) await bringForward(redis, name, Date.parse(key.expiresAt));
  await redis.hsetnx(name, 'o', key.orgId);
  await redis.hsetnx(name, 'd', key.digest);
}

/** MongoDB sets an expiry once (`endOnce`), so copies at the same time have the same one. */
async function bringForward(redis: Redis, name: string, expiry: number): Promise<void> {
  const known = await redis.hget(name, 'e');
  if (known === null || !(Number(known) <= expiry)) await redis.hset(name, 'e', expiry);
}

/** Every script of every process refuses the key from now on, because all of them read this record. */
export async function revokeRecord(redis: Redis, keys: RedisKeys, keyId: string): Promise<void> {
  await redis.hset(keys.key(keyId), 'x', '1');
}

/**
 * Copies every revoked or expiring key from MongoDB to Redis again. Redis may lose the last second
 * before a crash. The scripts read Redis only, so such a key would be valid again.
 */
export async function reconcileRevocations({ db, redis, tag }: CreditStore): Promise<void> {
  const keys = redisKeys(tag);
  for await (const key of endingKeys(db)) {
    if (!isKeyPart(key._id)) continue;
    await removeUnless(redis, 'hash', keys.key(key._id));
    await cacheKey(redis, keys, key);
  }
}

/**
 * Ends the keys in MongoDB that Redis knows as revoked or expiring: one that was restored from an older copy has them
 * as they were, and they would open their accounts at /connect again. Returns how many it ended.
 */
export async function recallRevocations({ db, redis, tag, now }: CreditStore): Promise<number> {
  const keys = redisKeys(tag);
  const at = now().toISOString();
  let ended = 0;
  for await (const keyId of unrevokedIds(db)) {
    if (!isKeyPart(keyId)) continue;
    await removeUnless(redis, 'hash', keys.key(keyId));
    const [revoked, expiry] = await redis.hmget(keys.key(keyId), 'x', 'e');
    // A time that cannot be read has come.
    const isOver = revoked === '1' || Number.isNaN(new Date(Number(expiry)).getTime());
    if (isOver) await markRevoked(db, keyId, at);
    else if (!expiry || !(await endOnce(db, keyId, { expiresAt: new Date(Number(expiry)).toISOString() })))
      continue;
    ended += 1;
  }
  return ended;
}

/**
 * Runs {@link reconcileRevocations} whenever the credits Redis is back, and retries until it succeeds:
 * both services may be restarting together. Returns a function that stops it.
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

/** Well below the five seconds after which a revocation is effective everywhere (rule 12.1). */
const RETRY_MS = 1_000;

/** A store that can also make keys and vouchers: it has the pepper of their digests. */
export type KeyStore = CreditStore & { readonly pepper: string };

/** The pepper is the setting. Without one, it is made once for the installation and kept in MongoDB. */
export async function keyStoreOf(context: CreditContext & { readonly config: Config }): Promise<KeyStore> {
  const { config, db } = context;
  requireSecrets(config, 'api');
  const pepper = config.keyPepper ?? (await settingOnce(db, 'key_pepper', generatedSecret));
  return { ...creditStoreOf(context), pepper };
}
