import type { Redis } from 'ioredis';
import type { Config } from '../../src/config.ts';
import { openContext, type ServiceUrls } from '../../src/context.ts';
import { announceCurrentBrief, EVERY_TICKER, openHighestSeq } from '../../src/credits/notices.ts';
import { creditStoreOf } from '../../src/credits/store.ts';
import type { Ticker } from '../../src/domain/ids.ts';
import { openEdgarBucket } from '../../src/edgar/client/bucket.ts';
import { type EdgarClient, openEdgarClient } from '../../src/edgar/client/open.ts';
import { FORMS } from '../../src/forms/index.ts';
import { connectReady, openQueueRedis } from '../../src/redis.ts';
import { noteStoreVersion } from '../../src/store/filing/store-version.ts';
import { ensureIndexes } from '../../src/store/mongo/indexes.ts';
import type { JobContext } from './context.ts';
import { openParsePool } from './parse-pool.ts';
import { openPrecedence, openTurns } from './precedence.ts';
import { openProducer, type Producer } from './producer.ts';

/** Parsing threads of one worker process. */
const PARSE_THREADS = 2;

export type PipelineUrls = ServiceUrls & { readonly queueRedisUrl: string };

/**
 * The Redis of the queues and a producer on it: all that a scheduler needs. Throws
 * `redis_unreachable` or `redis_may_evict`.
 */
export async function openQueue(config: Config, urls: PipelineUrls) {
  const redis = await connectReady(openQueueRedis(urls.queueRedisUrl, config.queuePrefix), 'queue', {
    isProduction: config.isProduction,
  });
  const producer = openProducer(redis, config.queuePrefix);
  const close = async (): Promise<void> => {
    await producer.close();
    redis.disconnect();
  };
  return { redis, producer, close };
}

type PipelineOptions = { readonly parseThreads?: number; readonly noteRequest?: () => void };

export type Pipeline = Awaited<ReturnType<typeof openPipeline>>;

/**
 * Opens everything that a worker needs, and closes it in order: threads, queues, Redis, MongoDB. After
 * a failure it closes what was opened.
 */
export async function openPipeline(
  config: Config,
  urls: PipelineUrls,
  { parseThreads = PARSE_THREADS, noteRequest }: PipelineOptions = {},
) {
  const opened: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    for (const one of opened.splice(0).reverse()) await one();
  };
  try {
    const base = await openContext(config, urls, 'worker', { retryWrites: false });
    opened.push(base.close);
    const queue = await openQueue(config, urls);
    opened.push(queue.close);
    await ensureIndexes(base.db);
    await noteStoreVersion(base.db);
    const edgar = openEdgar(config, queue.redis, noteRequest);
    opened.push(edgar.close);
    const parser = openParsePool(parseThreads);
    opened.push(parser.close);
    const announce = (ticker: Ticker | typeof EVERY_TICKER) =>
      announceCurrentBrief(base.creditsRedis, config.creditsTag, ticker);
    const context: JobContext = {
      config,
      db: base.db,
      credits: creditStoreOf(base),
      edgar,
      forms: FORMS,
      parser,
      parsing: openTurns(),
      comparing: openTurns(),
      precedence: openPrecedence(),
      producer: queue.producer,
      highestSeq: openHighestSeq(base.creditsRedis, config.creditsTag, base.db.databaseName),
      announceCurrentBrief: announce,
      announceCorpus: () => announce(EVERY_TICKER),
      log: base.log,
      now: base.now,
      stopping: new AbortController().signal,
    };
    return { context, redis: queue.redis, base, close };
  } catch (error) {
    await close();
    throw error;
  }
}

type OpenedEdgar = { readonly edgar: EdgarClient; readonly producer: Producer };

/** Runs a command with the queues, and closes them, also after an error. */
export async function withQueue<T>(
  config: Config,
  urls: PipelineUrls,
  use: (queue: Awaited<ReturnType<typeof openQueue>>) => Promise<T>,
): Promise<T> {
  const queue = await openQueue(config, urls);
  return use(queue).finally(queue.close);
}

/**
 * Runs a command that asks EDGAR with a client and the queues, and closes both, also after an error. Throws a
 * `UsageError` without EDGAR_USER_AGENT.
 */
export async function withEdgar<T>(
  config: Config,
  urls: PipelineUrls,
  use: (opened: OpenedEdgar) => Promise<T>,
): Promise<T> {
  return withQueue(config, urls, async ({ redis, producer }) => {
    const edgar = openEdgar(config, redis);
    return use({ edgar, producer }).finally(edgar.close);
  });
}

/** The client with the bucket that all processes share. */
function openEdgar(config: Config, redis: Redis, noteRequest: () => void = () => undefined): EdgarClient {
  const isLocal = ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(config.edgarUrl).hostname);
  const bucket = openEdgarBucket({
    redis,
    prefix: config.queuePrefix,
    ...(isLocal ? config.edgarLocal : { requestsPerSecond: config.edgarRequestsPerSecond }),
  });
  const take: typeof bucket.take = async (lane) => {
    await bucket.take(lane);
    noteRequest();
  };
  return openEdgarClient({
    ...{ baseUrl: config.edgarUrl, userAgent: config.edgarUserAgent },
    bucket: { ...bucket, take },
  });
}
