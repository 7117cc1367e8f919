import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Redis } from 'ioredis';
import { RateLimiterQueue, RateLimiterRedis } from 'rate-limiter-flexible';
import type { Lane } from '../../domain/filing/lane.ts';
import { unavailable } from '../../errors.ts';
import { EdgarError } from '../error.ts';

const WINDOW_LUA = readFileSync(new URL('./bucket.lua', import.meta.url), 'utf8');
/** EDGAR blocks an address for about ten minutes, and longer if requests continue (rule 10.1). */
const BLOCK_SECONDS = 600;
const MAX_BLOCK_MS = 3_600_000;

/** Of the rate, for what is not live (rule 10.1). */
const HISTORY_SHARE = 0.8;

type EdgarBucketOptions = {
  readonly redis: Redis;
  /** Hash tag of the keys, as of the queues: processes with the same one share one bucket. */
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
  const rate = options.requestsPerSecond;
  const all = new RateLimiterQueue(createWindow(options, { name: 'rate', rate }));
  const history = new RateLimiterQueue(
    createWindow(options, { name: 'history', rate: rate * HISTORY_SHARE }),
  );
  const breaker = `{${options.prefix}}:edgar:blocked`;
  const seconds = options.blockSeconds ?? BLOCK_SECONDS;

  /** Milliseconds until the breaker closes; 0 when it is closed. */
  async function blockedForMs(): Promise<number> {
    return Math.max(0, await closed(redis.pttl(breaker)));
  }
  /**
   * Resolves when one request may be sent. Throws `edgar_blocked` while the breaker is open. What is not
   * live takes from its own share before: so it never queues for all of the rate, and a live request
   * waits for one other at most.
   */
  async function take(lane: Lane = 'backfill'): Promise<void> {
    await refuseWhileBlocked();
    if (lane !== 'live') await closed(history.removeTokens(1));
    await closed(all.removeTokens(1));
    // During a long wait EDGAR may have blocked another process.
    await refuseWhileBlocked();
  }
  async function refuseWhileBlocked(): Promise<void> {
    const retryAfterMs = await blockedForMs();
    if (retryAfterMs === 0) return;
    const message = `no request to EDGAR for ${Math.ceil(retryAfterMs / 1_000)} s more`;
    throw new EdgarError('edgar_blocked', message, { retry: true, retryAfterMs });
  }
  /** Opens the breaker for every process, for an hour at most; returns for how many milliseconds. */
  async function block(atLeastMs = 0): Promise<number> {
    const jitter = randomInt(1, Math.round(seconds * 100) + 2);
    const forMs = Math.min(Math.round(Math.max(atLeastMs, seconds * 1_000)) + jitter, MAX_BLOCK_MS);
    await closed(redis.set(breaker, 'blocked', 'PX', forMs));
    return forMs;
  }
  return { take, block, blockedForMs };
}

type Window = { readonly name: string; readonly rate: number };

/** Up to ten a second: single requests, evenly spaced. Above that: ten small windows a second. */
function createWindow(options: EdgarBucketOptions, { name, rate }: Window): RateLimiterRedis {
  const windowMs = rate <= 10 ? Math.ceil(1_000 / rate) : 100;
  return new RateLimiterRedis({
    storeClient: options.redis,
    keyPrefix: `{${options.prefix}}:edgar:${name}`,
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
