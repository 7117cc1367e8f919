import type { Redis } from 'ioredis';
import type { Ticker } from '../domain/ids.ts';
import { redisKeys } from './redis-keys.ts';

/** Tells every API process that a ticker shows another brief. Call it after the head has moved. */
export async function announceCurrentBrief(redis: Redis, tag: string, ticker: Ticker): Promise<void> {
  await redis.publish(redisKeys(tag).currentBriefs, ticker);
}
