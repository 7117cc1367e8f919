import type { Redis } from 'ioredis';
import type { Config } from '../../src/config.ts';
import { type Context, openContext, type ServiceUrls } from '../../src/context.ts';
import { announceCurrentBrief, EVERY_TICKER } from '../../src/credits/current-brief.ts';
import { openHighestSeq } from '../../src/credits/highest-seq.ts';
import { drainLog } from '../../src/credits/ledger/drain.ts';
import { creditStoreOf } from '../../src/credits/store.ts';
import type { Ticker } from '../../src/domain/ids.ts';
import { openEdgarBucket } from '../../src/edgar/client/bucket.ts';
import { type EdgarClient, openEdgarClient } from '../../src/edgar/client/open.ts';
import { AppError } from '../../src/errors.ts';
import { FORMS } from '../../src/forms/index.ts';
import { connectReady, openQueueRedis } from '../../src/redis.ts';
import { ensureLedgerIndexes } from '../../src/store/account/ledger.ts';
import { buildIndexes } from '../../src/store/mongo/indexes.ts';
import { migrateStore } from '../../src/store/version/migrate.ts';
import type { JobContext } from './context.ts';
import { openParsePool } from './parse-pool.ts';
import { openPrecedence } from './precedence.ts';
import { openProducer, type Producer } from './producer.ts';
import { openTurns } from './turns.ts';

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
    await prepareStore(base, queue.producer);
    const edgar = openEdgar(config, queue.redis, noteRequest);
    opened.push(edgar.close);
    const parser = openParsePool(parseThreads);
    opened.push(parser.close);
    const announce = (ticker: Ticker | typeof EVERY_TICKER) =>
      announceCurrentBrief(base.creditsRedis, config.creditsTag, ticker);
    const context: JobContext = {
      config,
      db: base.db,
      mongoUrl: urls.mongoUrl,
      credits: creditStoreOf(base),
      edgar,
      forms: FORMS,
      parser,
      parsing: openTurns(),
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

/** Jobs of a release with another store version name keys that no longer exist. Nothing is lost with them. */
const NAMED_BY_STORE: readonly string[] = [
  ...['diff', 'diffs', 'peers', 'insider', 'brief', 'holders', 'search', 'leaderboard'],
  ...['consensus', 'drive'],
];

/** The queue of the dispatcher, in this release and in those of store version 1. */
const DISPATCHERS = ['drive', 'dispatch'];

async function prepareStore(context: Context, producer: Producer): Promise<void> {
  const { db, log, now } = context;
  const before = async (): Promise<void> => {
    // A worker of this release listens only after the migration.
    for (const queue of DISPATCHERS) if ((await producer.workers(queue)) > 0) throw olderReleaseRuns();
    await producer.clear(NAMED_BY_STORE);
    // Before store version 5 nothing drained the log.
    await ensureLedgerIndexes(db);
    await drainLog(creditStoreOf(context));
  };
  await migrateStore(db, { log, now, before });
  const { rest } = await buildIndexes(db, log);
  // The next worker that starts tries again.
  rest.catch((err) => log.error({ err }, 'an index was not built'));
}

/** What an older worker writes after the migration has a shape that no reader knows. */
function olderReleaseRuns(): AppError {
  const message =
    'A worker of an older release still runs on these queues. Stop all processes of that release, then start this one again.';
  return new AppError('older_release_running', message, { retry: true });
}

type OpenedEdgar = { readonly edgar: EdgarClient; readonly producer: Producer };

/**
 * Runs a command that asks EDGAR with a client and the queues, and closes both, also after an error. Throws a
 * `UsageError` without EDGAR_USER_AGENT.
 */
export async function withEdgar<T>(
  config: Config,
  urls: PipelineUrls,
  use: (opened: OpenedEdgar) => Promise<T>,
): Promise<T> {
  const queue = await openQueue(config, urls);
  try {
    const edgar = openEdgar(config, queue.redis);
    return await use({ edgar, producer: queue.producer }).finally(edgar.close);
  } finally {
    await queue.close();
  }
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
