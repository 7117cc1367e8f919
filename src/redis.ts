import { Redis, type RedisOptions } from 'ioredis';
import { AppError, unavailable } from './errors.ts';

/**
 * For the API: fails fast while Redis is unavailable and does not queue, so the answer is a 503 in time.
 * Scripts are idempotent by attempt id, because an unanswered command is sent again.
 */
export function openCreditsRedis(url: string): Redis {
  return connect(url, { enableOfflineQueue: false, commandTimeout: 1_000, enableAutoPipelining: true });
}

/** For BullMQ: waits until Redis is back (BullMQ requires `maxRetriesPerRequest: null`). */
export function openQueueRedis(url: string): Redis {
  return connect(url, { maxRetriesPerRequest: null });
}

/** ioredis 6 types its replies by this option; we use the RESP2 shapes that BullMQ uses. */
type LegacyOptions = Omit<RedisOptions, 'replyMapping'>;

function connect(url: string, options: LegacyOptions): Redis {
  return quiet(new Redis(url, { ...options, lazyConnect: true }));
}

/**
 * Without a listener ioredis prints to the console; readiness and commands show the state anyway. BullMQ
 * duplicates a connection for a worker, and removes its own listener before it closes the duplicate.
 */
function quiet(redis: Redis): Redis {
  redis.on('error', () => undefined);
  const duplicate = redis.duplicate.bind(redis);
  redis.duplicate = (...options) => quiet(duplicate(...options));
  return redis;
}

/**
 * Connects for the first time. Throws `redis_unreachable` or `redis_may_evict`, each one line that begins
 * with `what`. It closes the connection then, so a process that cannot start can end.
 */
export async function connectReady(redis: Redis, what: string): Promise<Redis> {
  try {
    await redis.connect();
    await requireNoEviction(redis, what);
    return redis;
  } catch (cause) {
    redis.disconnect();
    if (cause instanceof AppError) throw cause;
    const { host, port, path } = redis.options;
    throw unavailable('redis_unreachable', `${what} does not answer at ${path ?? `${host}:${port}`}`, {
      cause,
    });
  }
}

/** Refuses an instance that may evict keys, because evicted credits or jobs are lost without an error. */
export async function requireNoEviction(redis: Redis, what: string): Promise<void> {
  const policy = await redisSetting(redis, 'maxmemory-policy');
  if (policy === 'noeviction') return;
  throw new AppError(
    'redis_may_evict',
    `${what}: maxmemory-policy is "${policy}" and must be "noeviction". Set it with: CONFIG SET maxmemory-policy noeviction`,
  );
}

/** A setting of the server by its name; `unknown` when there is none of that name. */
export async function redisSetting(redis: Redis, name: string): Promise<string> {
  const reply = (await redis.config('GET', name)) as string[];
  return reply[1] ?? 'unknown';
}
