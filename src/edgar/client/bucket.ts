import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Redis } from 'ioredis';
import { RateLimiterQueue, RateLimiterRedis } from 'rate-limiter-flexible';
import { unavailable } from '../../errors.ts';
import { EdgarError } from '../error.ts';

const WINDOW_LUA = readFileSync(new URL('./bucket.lua', import.meta.url), 'utf8');
/** EDGAR blocks an address for about ten minutes, and longer if requests continue (rule 10.1). */
const BLOCK_SECONDS = 600;

type EdgarBucketOptions = {
  readonly redis: Redis;
  /** Of the keys in Redis: processes with the same prefix share one bucket. */
  readonly prefix: string;
  /** For all processes together; may be a fraction. The SEC allows 10; stay near 5. */
  readonly requestsPerSecond: number;
  readonly blockSeconds?: number;
};

export type EdgarBucket = ReturnType<typeof openEdgarBucket>;

/**
 * The one rate bucket for all requests to EDGAR, and the breaker, both in Redis. It fails closed:
 * without Redis no request is sent and `edgar_bucket_unavailable` is thrown.
 */
export function openEdgarBucket(options: EdgarBucketOptions) {
  const { redis } = options;
  const queue = new RateLimiterQueue(createWindow(options));
  const breaker = `{${options.prefix}:edgar}:blocked`;
  const seconds = options.blockSeconds ?? BLOCK_SECONDS;

  /** Milliseconds until the breaker closes; 0 when it is closed. */
  async function blockedForMs(): Promise<number> {
    return Math.max(0, await closed(redis.pttl(breaker)));
  }
  /** Resolves when one request may be sent. Throws `edgar_blocked` while the breaker is open. */
  async function take(): Promise<void> {
    await refuseWhileBlocked();
    await closed(queue.removeTokens(1));
    // During a long wait EDGAR may have blocked another process.
    await refuseWhileBlocked();
  }
  async function refuseWhileBlocked(): Promise<void> {
    const retryAfterMs = await blockedForMs();
    if (retryAfterMs === 0) return;
    const message = `no request to EDGAR for ${Math.ceil(retryAfterMs / 1_000)} s more`;
    throw new EdgarError('edgar_blocked', message, { retry: true, retryAfterMs });
  }
  /** Opens the breaker for every process; returns for how many milliseconds. */
  async function block(atLeastMs = 0): Promise<number> {
    const jitter = randomInt(1, Math.round(seconds * 100) + 2);
    const forMs = Math.round(Math.max(atLeastMs, seconds * 1_000)) + jitter;
    await closed(redis.set(breaker, 'blocked', 'PX', forMs));
    return forMs;
  }
  return { take, block, blockedForMs };
}

/** Up to ten a second: single requests, evenly spaced. Above that: ten small windows a second. */
function createWindow(options: EdgarBucketOptions): RateLimiterRedis {
  const rate = options.requestsPerSecond;
  const windowMs = rate <= 10 ? Math.ceil(1_000 / rate) : 100;
  return new RateLimiterRedis({
    storeClient: options.redis,
    keyPrefix: `{${options.prefix}:edgar}:rate`,
    points: rate <= 10 ? 1 : Math.floor(rate / 10),
    duration: 1,
    customIncrTtlLuaScript: WINDOW_LUA.replace('__WINDOW_MS__', String(windowMs)),
  });
}

async function closed<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (cause) {
    const message = 'the EDGAR rate bucket in Redis does not answer';
    throw unavailable('edgar_bucket_unavailable', message, { cause });
  }
}
