import type { Redis } from 'ioredis';
import type { Ticker } from '../domain/ids.ts';
import { redisKeys } from './redis-keys.ts';

/** Notifies every API process that a ticker has another current brief. Call it after that brief was set. */
export async function announceCurrentBrief(redis: Redis, tag: string, ticker: Ticker): Promise<void> {
  await redis.publish(redisKeys(tag).currentBriefs, ticker);
}
