import { Redis, type RedisOptions } from 'ioredis';
import { AppError, unavailable } from './errors.ts';
import { followOwner, parseClusterUrl } from './redis-cluster.ts';

/**
 * For the API: fails fast while Redis is unavailable and does not queue, so the answer is a 503 in time.
 * Scripts are idempotent by attempt id, because an unanswered command is sent again.
 * @param tag the hash tag of all keys: a Redis Cluster has no other way to say which node is meant
 */
export function openCreditsRedis(url: string, tag?: string): Redis {
  const redis = connect(url, tag, {
    enableOfflineQueue: false,
    commandTimeout: 1_000,
    // A route that is lost without a word would be waited for until TCP gives up, after a quarter of an hour.
    socketTimeout: 3_000,
    enableAutoPipelining: true,
    // It became a replica: its name may lead to another server by now, and it is another run when it is back.
    reconnectOnError: ({ message }) => message.startsWith('READONLY'),
    // By itself ioredis subscribes again without a look at the answer: a late one would end the process.
    autoResubscribe: false,
  });
  return quiet(redis);
}

/**
 * For BullMQ: waits until Redis is back (BullMQ requires `maxRetriesPerRequest: null`). A copy of it connects at once:
 * of a copy that has not begun to, BullMQ believes the first failure, and its worker never ends its first job.
 */
export function openQueueRedis(url: string, tag?: string): Redis {
  return quiet(connect(url, tag, { maxRetriesPerRequest: null }), { lazyConnect: false });
}

/** ioredis 6 types its replies by this option; we use the RESP2 shapes that BullMQ uses. */
type LegacyOptions = Omit<RedisOptions, 'replyMapping'>;

function connect(url: string, tag: string | undefined, options: LegacyOptions): Redis {
  const cluster = parseClusterUrl(url);
  if (cluster === null) return new Redis(url, { ...options, lazyConnect: true });
  if (tag === undefined) throw new RangeError('a Redis Cluster needs the hash tag of the keys');
  return new Redis({ ...options, ...followOwner(cluster, tag), lazyConnect: true });
}

/**
 * Without a listener ioredis prints to the console; readiness and commands show the state anyway. BullMQ
 * duplicates a connection for a worker, and removes its own listener before it closes the duplicate.
 * @param ofCopies options of its duplicates, and of theirs
 */
function quiet(redis: Redis, ofCopies: LegacyOptions = {}): Redis {
  redis.on('error', () => undefined);
  const duplicate = redis.duplicate.bind(redis);
  redis.duplicate = (options) => quiet(duplicate({ ...ofCopies, ...options }), ofCopies);
  return redis;
}

/** What an instance must not do. That of the queues may forget: MongoDB knows all that is pending. */
const REQUIRED = {
  credits: { what: 'The Redis of the credits', checks: [requireNoEviction, requireAppendOnly] },
  queue: { what: 'The Redis of the queues', checks: [requireNoEviction] },
} as const;

type Start = {
  /** The clock of this process. */
  readonly now?: () => Date;
  readonly isProduction?: boolean;
};

/**
 * Connects for the first time. Throws `redis_unreachable`, `redis_may_evict`, `redis_may_forget`, in
 * production `redis_unbounded`, or `redis_clock`, each one line. It closes the connection then, so a process that cannot start can end.
 */
export async function connectReady(
  redis: Redis,
  role: keyof typeof REQUIRED,
  { now = () => new Date(), isProduction = false }: Start = {},
): Promise<Redis> {
  const { what, checks } = REQUIRED[role];
  try {
    await redis.connect();
    for (const check of checks) await check(redis, what);
    if (isProduction) await requireMemoryEnd(redis, what);
    await requireSameClock(redis, what, now);
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
  await requireSetting(redis, what, {
    code: 'redis_may_evict',
    name: 'maxmemory-policy',
    value: 'noeviction',
  });
}

/** Refuses an instance without an end of its memory: it never refuses a write, and the kernel kills it instead. */
async function requireMemoryEnd(redis: Redis, what: string): Promise<void> {
  if ((await redisSetting(redis, 'maxmemory')) !== '0') return;
  throw new AppError(
    'redis_unbounded',
    `${what}: maxmemory is "0", so it grows until the system kills it. Set an end with: CONFIG SET maxmemory 1gb`,
  );
}

/** Refuses an instance without an append-only file: a restart would give back what was spent. */
async function requireAppendOnly(redis: Redis, what: string): Promise<void> {
  await requireSetting(redis, what, { code: 'redis_may_forget', name: 'appendonly', value: 'yes' });
}

type Required = { readonly code: string; readonly name: string; readonly value: string };

async function requireSetting(redis: Redis, what: string, { code, name, value }: Required): Promise<void> {
  const found = await redisSetting(redis, name);
  if (found === value) return;
  throw new AppError(
    code,
    `${what}: ${name} is "${found}" and must be "${value}". Set it with: CONFIG SET ${name} ${value}`,
  );
}

/** Of a clock that stepped after the start, as {@link connectReady} says it; null when it agrees, or nothing answers. */
export async function clockProblem(redis: Redis, now: () => Date): Promise<string | null> {
  try {
    await requireSameClock(redis, 'The Redis of the credits', now);
    return null;
  } catch (error) {
    return error instanceof AppError && error.code === 'redis_clock' ? error.message : null;
  }
}

/** Leases of filings, waits of jobs and limits of keys compare times of several machines. */
const MAX_SKEW_MS = 5_000;

/** Refuses when the clocks of this process and of the instance are further apart than the reply took. */
async function requireSameClock(redis: Redis, what: string, now: () => Date): Promise<void> {
  const before = now().getTime();
  const [seconds = 0, micros = 0] = (await redis.time()).map(Number);
  const there = seconds * 1_000 + micros / 1_000;
  const apart = Math.max(before - there, there - now().getTime());
  if (apart <= MAX_SKEW_MS) return;
  throw new AppError(
    'redis_clock',
    `${what}: its clock and that of this machine are ${Math.round(apart / 1_000)} s apart; at most ${MAX_SKEW_MS / 1_000} s are allowed. Set both by NTP.`,
  );
}

/** A setting of the server by its name; `unknown` when there is none of that name. */
export async function redisSetting(redis: Redis, name: string): Promise<string> {
  const reply = (await redis.config('GET', name)) as string[];
  return reply[1] ?? 'unknown';
}
