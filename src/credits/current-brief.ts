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
