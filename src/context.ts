import type { Redis } from 'ioredis';
import type { Db } from 'mongodb';
import type { Config } from './config.ts';
import { AppError } from './errors.ts';
import { createLogger, type Logger } from './log.ts';
import { type Mongo, openMongo } from './mongo.ts';
import { openCreditsRedis, requireNoEviction } from './redis.ts';

/** Addresses after the resolver has spoken: what was set, or the services that it started. */
export type ServiceUrls = { readonly mongoUrl: string; readonly creditsRedisUrl: string };

/** What every process holds open. The queue's Redis is the pipeline's own. */
export type Context = {
  readonly config: Config;
  readonly log: Logger;
  readonly mongo: Mongo;
  readonly db: Db;
  readonly creditsRedis: Redis;
  /** Closes all of it, Redis before Mongo. Safe to repeat. */
  readonly close: () => Promise<void>;
};

/**
 * Opens what a process needs, or fails with one line that names what is wrong. `name` is the
 * process in the log.
 */
export async function openContext(
  config: Config,
  urls: ServiceUrls,
  name: string = 'tidemark',
): Promise<Context> {
  const log = createLogger(config.logLevel, name);
  const mongo = await openMongo(urls.mongoUrl, config.mongoDb);
  try {
    const creditsRedis = await openReadyRedis(urls.creditsRedisUrl);
    const close = async (): Promise<void> => {
      creditsRedis.disconnect();
      await mongo.client.close();
    };
    return { config, log, mongo, db: mongo.db, creditsRedis, close };
  } catch (error) {
    await mongo.client.close();
    throw error;
  }
}

async function openReadyRedis(url: string): Promise<Redis> {
  const redis = openCreditsRedis(url);
  try {
    await redis.connect();
    await requireNoEviction(redis, 'The Redis of the credits');
    return redis;
  } catch (cause) {
    redis.disconnect();
    if (cause instanceof AppError) throw cause;
    const host = new URL(url).host;
    throw new AppError('redis_unreachable', `Redis does not answer at ${host}`, {
      status: 503,
      retry: true,
      cause,
    });
  }
}
