import type { Redis } from 'ioredis';
import type { Db } from 'mongodb';
import type { Config } from './config.ts';
import { createLogger, type Logger } from './log.ts';
import { type Mongo, type MongoOptions, openMongo, requireReplicaSet } from './mongo.ts';
import { connectReady, openCreditsRedis } from './redis.ts';
import { requireStoreVersion } from './store/filing/store-version.ts';

/** The addresses in use: as set, or of the services that were started. */
export type ServiceUrls = { readonly mongoUrl: string; readonly creditsRedisUrl: string };

/** What every process keeps open. The Redis of the queues is opened by the pipeline. */
export type Context = {
  readonly config: Config;
  readonly log: Logger;
  readonly mongo: Mongo;
  readonly db: Db;
  readonly creditsRedis: Redis;
  /** The clock. Everything that needs the time takes it from here; tests replace it. */
  readonly now: () => Date;
  /** Closes everything, Redis before MongoDB. Safe to repeat. */
  readonly close: () => Promise<void>;
};

export type ContextOptions = MongoOptions & {
  /** Also a home of another release, to copy it. */
  readonly anyStoreVersion?: boolean;
};

/**
 * Opens what a process needs. Throws one line that names what is wrong.
 * @param name of the process in the log
 */
export async function openContext(
  config: Config,
  urls: ServiceUrls,
  name: string = 'tidemark',
  { anyStoreVersion = false, ...options }: ContextOptions = {},
): Promise<Context> {
  const log = createLogger(config.logLevel, name);
  const mongo = await openMongo(urls.mongoUrl, config.mongoDb, options);
  try {
    if (config.isProduction) await requireReplicaSet(mongo.db);
    if (!anyStoreVersion) await requireStoreVersion(mongo.db);
    const creditsRedis = await connectReady(
      openCreditsRedis(urls.creditsRedisUrl, config.creditsTag),
      'credits',
      { isProduction: config.isProduction },
    );
    const close = async (): Promise<void> => {
      creditsRedis.disconnect();
      await mongo.client.close();
    };
    return { config, log, mongo, db: mongo.db, creditsRedis, now: () => new Date(), close };
  } catch (error) {
    await mongo.client.close();
    throw error;
  }
}
