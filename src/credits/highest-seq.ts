import type { Redis } from 'ioredis';
import { redisKeys } from './redis-keys.ts';

/**
 * The highest number of the stream that was ever published, outside MongoDB: a MongoDB that was restored
 * from an older copy does not know which numbers its readers have seen (rule 13.1).
 */
export type HighestSeq = {
  /** 0 before the first one, and after this Redis was lost. */
  readonly read: () => Promise<number>;
  /** Wakes the calls that wait for events. A lower number changes nothing. */
  readonly raise: (seq: number) => Promise<void>;
};

/** @param database of MongoDB: a stream belongs to it */
export function openHighestSeq(redis: Redis, tag: string, database: string): HighestSeq {
  const { highestSeq: key, events } = redisKeys(tag);
  return {
    read: async () => Number((await redis.zscore(key, database)) ?? 0),
    raise: async (seq) => {
      await redis.zadd(key, 'GT', seq, database);
      await redis.publish(events, database);
    },
  };
}
