import type { Redis } from 'ioredis';
import type { Ticker } from '../domain/ids.ts';
import { redisKeys } from './redis-keys.ts';

/** Stands for all tickers: another corpus was published. No ticker is spelled so. */
export const EVERY_TICKER = '*';

/**
 * Notifies every API process that a ticker has another current brief, or may have one. Call it after
 * that brief was set, or the corpus published.
 */
export async function announceCurrentBrief(
  redis: Redis,
  tag: string,
  ticker: Ticker | typeof EVERY_TICKER,
): Promise<void> {
  await redis.publish(redisKeys(tag).currentBriefs, ticker);
}

/**
 * Subscribes a connection to a channel whenever it is ready; then come the messages, and after a
 * reconnection those in between are lost.
 * @param subscriber of `openCreditsRedis`, for nothing else
 */
export function keepSubscribed(subscriber: Redis, channel: string, onSubscribed: () => void): void {
  subscriber.on('ready', () => {
    // Without an answer in time it tries on a new connection.
    subscriber.subscribe(channel).then(onSubscribed, () => subscriber.disconnect(true));
  });
}

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
