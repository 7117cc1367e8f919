import type { Redis } from 'ioredis';
import type { KeyDoc } from '../store/keys.ts';
import type { RedisKeys } from './redis-keys.ts';

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
