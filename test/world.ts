import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Redis } from 'ioredis';
import { inject } from 'vitest';
import type { ApiContext } from '../src/api/open.ts';
import { type Config, loadConfig } from '../src/config.ts';
import type { KeyStore } from '../src/credits/account/key-record.ts';
import { createLogger } from '../src/log.ts';
import { type Mongo, openMongo } from '../src/mongo.ts';
import { openCreditsRedis, openQueueRedis } from '../src/redis.ts';
import type { ServiceUrls } from './global-setup.ts';

/** One test's own place in the shared services: nothing another test writes is visible in it. */
export type World = {
  readonly config: Config;
  /** The same settings as an environment, for processes that a test starts. */
  readonly env: Readonly<Record<string, string>>;
  /** Where its services are, settings considered. */
  readonly urls: Omit<ServiceUrls, 'kind'>;
  readonly mongo: Mongo;
  readonly credits: Redis;
  readonly queue: Redis;
  /** What every credits key carries in its braces. */
  readonly creditsTag: string;
  /** The same Redis and database, as the functions for keys and credits need them. */
  readonly store: KeyStore;
  /** And as the API needs them; it logs nothing. */
  readonly context: ApiContext;
  /** Drops the database, deletes this world's keys, closes the connections. */
  readonly close: () => Promise<void>;
};

/** The services of the vitest worker that runs this file. */
export function servicesOfWorker(): ServiceUrls {
  const sets = inject('services');
  const urls = sets[(Number(process.env['VITEST_POOL_ID'] ?? 1) - 1) % sets.length];
  if (urls === undefined) throw new Error('test/global-setup.ts opened no services');
  const { mongoUrl } = urls;
  return { ...urls, mongoUrl: `${mongoUrl}${mongoUrl.includes('?') ? '&' : '?'}socketTimeoutMS=${MONGO_MS}` };
}

/** What gives no answer says so before its test is over. MongoDB's driver tries a read twice. */
const MONGO_MS = 50_000;
const REDIS_MS = 60_000;

export const PEPPER = 'a pepper for tests only';

/** @param settings more environment variables, for example `{ TIDEMARK_AS_OF: '2018-11-30' }` */
export async function openWorld(settings: Readonly<Record<string, string>> = {}): Promise<World> {
  const services = servicesOfWorker();
  const name = `t${randomBytes(6).toString('hex')}`;
  // Made by who writes into it.
  const home = join(tmpdir(), `tidemark-world-${name}`);
  const env = {
    TIDEMARK_HOME: home,
    MONGO_URL: services.mongoUrl,
    CREDITS_REDIS_URL: services.creditsRedisUrl,
    QUEUE_REDIS_URL: services.queueRedisUrl,
    MONGO_DB: name,
    QUEUE_PREFIX: name,
    CREDITS_TAG: name,
    KEY_PEPPER: PEPPER,
    LOG_LEVEL: 'silent',
    // All visitors of the tests have one address.
    PAGES_PER_SECOND: '0',
    ...settings,
  };
  const config = loadConfig(env);
  const mongo = await openMongo(services.mongoUrl, name, { retryWrites: false });
  const credits = patient(openCreditsRedis(services.creditsRedisUrl));
  const queue = patient(openQueueRedis(services.queueRedisUrl));
  // The credits connection has no offline queue: it must be connected before the first command.
  await Promise.all([credits.connect(), queue.connect()]);
  const close = async (): Promise<void> => {
    await mongo.db.dropDatabase();
    await Promise.all([deleteKeys(credits, name), deleteKeys(queue, name)]);
    credits.disconnect();
    queue.disconnect();
    await mongo.client.close();
    rmSync(home, { recursive: true, force: true });
  };
  const now = (): Date => new Date();
  const store = { db: mongo.db, redis: credits, tag: name, now, pepper: PEPPER };
  const log = createLogger('silent', 'test');
  const context = { config, log, db: mongo.db, creditsRedis: credits, now };
  const { MONGO_URL: mongoUrl, CREDITS_REDIS_URL: creditsRedisUrl, QUEUE_REDIS_URL: queueRedisUrl } = env;
  const urls = { mongoUrl, creditsRedisUrl, queueRedisUrl };
  return { config, env, urls, mongo, credits, queue, creditsTag: name, store, context, close };
}

/**
 * A process that a busy machine stops for a second finds each reply late, and that is no fault of Redis. A worker
 * of BullMQ waits ten seconds at most in a command, by a copy of its connection.
 */
function patient(redis: Redis): Redis {
  Object.assign(redis.options, { commandTimeout: REDIS_MS, socketTimeout: REDIS_MS });
  return redis;
}

/** Instances given by URL outlive the run: a world takes its keys with it. */
async function deleteKeys(redis: Redis, name: string): Promise<void> {
  let cursor = '0';
  do {
    const [next, keys] = await redis.scan(cursor, 'MATCH', `*${name}*`, 'COUNT', 1_000);
    if (keys.length > 0) await redis.unlink(...keys);
    cursor = next;
  } while (cursor !== '0');
}
