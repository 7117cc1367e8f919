import type { Redis } from 'ioredis';
import type { Db } from 'mongodb';
import type { Config } from './config.ts';
import { createLogger, type Logger } from './log.ts';
import { type Mongo, openMongo } from './mongo.ts';
import { connectReady, openCreditsRedis } from './redis.ts';

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
    const creditsRedis = await connectReady(
      openCreditsRedis(urls.creditsRedisUrl),
      'The Redis of the credits',
    );
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
