import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Redis } from 'ioredis';
import type { Db } from 'mongodb';
import { openServices } from '../packages/embedded/open.ts';
import { loadConfig } from '../src/config.ts';
import { createKey } from '../src/credits/account/key-life.ts';
import { openMongo } from '../src/mongo.ts';
import { openCreditsRedis } from '../src/redis.ts';

const PEPPER = 'a pepper for the bench only';

/** A customer that can pay for every call of a bench. */
export type Customer = {
  /** A new database. */
  readonly db: Db;
  readonly redis: Redis;
  /** Of all keys in Redis. */
  readonly tag: string;
  readonly key: string;
  /** Of an API process over the same services, which counts calls as always and never reaches a limit. */
  readonly env: NodeJS.ProcessEnv;
};

/** Runs `work` with a customer whose database and keys are removed afterwards. */
export async function withBenchCustomer<T>(work: (customer: Customer) => Promise<T>): Promise<T> {
  const settings = { ...loadConfig(), home: join(tmpdir(), 'tidemark-bench') };
  const services = await openServices(settings, (line) => console.error(line));
  const [database, tag] = [`bench_${process.pid}`, `bench${process.pid}`];
  const mongo = await openMongo(services.mongoUrl, database);
  const redis = openCreditsRedis(services.creditsRedisUrl);
  try {
    await redis.connect();
    const store = { db: mongo.db, redis, tag, now: () => new Date(), pepper: PEPPER };
    const { key } = await createKey(store, { orgName: 'Bench', credits: 1_000_000_000, label: 'bench' });
    const env = {
      ...process.env,
      RATE_LIMIT_PER_SECOND: '100000',
      RATE_LIMIT_BURST: '100000',
      CREDITS_EXPOSURE_PER_ORG: '0',
      CREDITS_EXPOSURE_TOTAL: '0',
      MONGO_URL: services.mongoUrl,
      CREDITS_REDIS_URL: services.creditsRedisUrl,
      MONGO_DB: database,
      CREDITS_TAG: tag,
      KEY_PEPPER: PEPPER,
      PORT: '0',
      LOG_LEVEL: 'silent',
    };
    return await work({ db: mongo.db, redis, tag, key, env });
  } finally {
    await mongo.db.dropDatabase();
    const keys = await redis.keys(`{${tag}}*`);
    for (let at = 0; at < keys.length; at += 1_000) await redis.unlink(...keys.slice(at, at + 1_000));
    redis.disconnect();
    await mongo.client.close();
    await services.release();
  }
}
