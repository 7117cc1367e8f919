import type { Redis } from 'ioredis';
import type { Config } from '../src/config.ts';
import { type Context, openContext, type ServiceUrls } from '../src/context.ts';
import { announceHead } from '../src/credits/heads.ts';
import { createEdgarBucket } from '../src/edgar/bucket.ts';
import { createEdgarClient } from '../src/edgar/client.ts';
import { openQueueRedis, requireNoEviction } from '../src/redis.ts';
import { ensureIndexes } from '../src/store/indexes.ts';
import type { JobContext } from './context.ts';
import { openParsePool } from './parse-pool.ts';
import { openProducer, type Producer } from './producer.ts';

/** Parsing threads of one worker process. */
const PARSE_THREADS = 2;
/** A local EDGAR on a loopback address asks for no courtesy. */
const LOCAL_REQUESTS_PER_SECOND = 2_000;

export type PipelineUrls = ServiceUrls & { readonly queueRedisUrl: string };

export type QueueConnection = {
  readonly redis: Redis;
  readonly producer: Producer;
  readonly close: () => Promise<void>;
};

/** The queue's Redis and a producer on it: all that a scheduler needs. */
export async function openQueue(config: Config, urls: PipelineUrls): Promise<QueueConnection> {
  const redis = openQueueRedis(urls.queueRedisUrl);
  await redis.connect();
  await requireNoEviction(redis, 'The Redis of the queues');
  const producer = openProducer(redis, config.queuePrefix);
  const close = async (): Promise<void> => {
    await producer.close();
    redis.disconnect();
  };
  return { redis, producer, close };
}

export type Pipeline = {
  readonly context: JobContext;
  readonly redis: Redis;
  readonly base: Context;
  readonly close: () => Promise<void>;
};

/** Opens everything that a worker needs, and closes it in order: threads, queues, Redis, Mongo. */
export async function openPipeline(config: Config, urls: PipelineUrls): Promise<Pipeline> {
  const base = await openContext(config, urls, 'worker');
  const queue = await openQueue(config, urls);
  await ensureIndexes(base.db);
  const parser = openParsePool(PARSE_THREADS);
  const isLocal = ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(config.edgarUrl).hostname);
  const bucket = createEdgarBucket({
    redis: queue.redis,
    prefix: config.queuePrefix,
    requestsPerSecond: isLocal ? LOCAL_REQUESTS_PER_SECOND : config.edgarRequestsPerSecond,
  });
  const edgar = createEdgarClient({ baseUrl: config.edgarUrl, userAgent: config.edgarUserAgent, bucket });
  const context: JobContext = {
    config,
    db: base.db,
    edgar,
    parser,
    producer: queue.producer,
    announceHead: (ticker) => announceHead(base.creditsRedis, config.creditsTag, ticker),
    log: base.log,
    now: () => new Date(),
  };
  const close = async (): Promise<void> => {
    await parser.close();
    await edgar.close();
    await queue.close();
    await base.close();
  };
  return { context, redis: queue.redis, base, close };
}
