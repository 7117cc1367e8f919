import { type Job as BullJob, Queue, Worker } from 'bullmq';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { JOBS } from '../../jobs/index.ts';
import { enqueueBriefs } from '../../jobs/pending/enqueue.ts';
import type { JobContext } from '../../jobs/worker/context.ts';
import { bullPrefix, openProducer, type Producer } from '../../jobs/worker/producer.ts';
import { waitUntil } from '../../packages/embedded/wait.ts';
import { QUEUES } from '../../queues/index.ts';
import { computeCorpus } from '../../src/derive/corpus/corpus.ts';
import type { IsoDate, Ticker } from '../../src/domain/ids.ts';
import { invalidate } from '../../src/store/invalidation/invalidate.ts';
import { pendingVersion } from '../../src/store/invalidation/invalidation.ts';
import { publishCorpus } from '../../src/store/publish/corpus.ts';
import { currentBriefsIn } from '../../src/store/publish/current-briefs.ts';
import { opened } from '../opened.ts';
import { openWorld } from '../world.ts';

const AAPL = 'AAPL' as Ticker;
const TICKERS = ['AAPL', 'GM', 'TSLA', 'META'];
const LIMIT_MS = 60_000;
/** Retries at once: the test has no time for the backoff. */
const FAST = { ...QUEUES.brief, backoffMs: 1 };

const world = opened(() => openWorld({ BRIEF_DEBOUNCE_MS: '30000' }));
let producer: Producer;
let queue: Queue;
beforeAll(async () => {
  const { db } = world.mongo;
  const corpus = await computeCorpus(db, '2018-11-30' as IsoDate);
  await publishCorpus(db, corpus, { at: '2018-11-30T12:00:00Z', before: null });
});

beforeEach(() => {
  producer = openProducer(world.queue, world.config.queuePrefix);
  queue = new Queue('brief', connection());
});
afterEach(async () => {
  await producer.clear(['brief', 'dispatch', 'poll']);
  await queue.close();
  await producer.close();
});

const connection = () => ({ connection: world.queue, prefix: bullPrefix(world.config.queuePrefix) });

/** What these jobs use of a worker's context. */
function context(now = new Date()): JobContext {
  const base = { config: world.config, db: world.mongo.db, producer, now: () => now };
  return base as unknown as JobContext;
}

const enqueue = (version: number) => producer.enqueue(FAST, { ticker: AAPL, version });

async function waiting(): Promise<string[]> {
  const jobs = await queue.getJobs(['waiting', 'prioritized', 'delayed']);
  return jobs.map((job) => job.data.ticker);
}

/** A worker of the queue that runs `job`, until `during` ends. */
async function withWorker(job: (bull: BullJob) => Promise<void>, during: () => Promise<void>) {
  const worker = new Worker('brief', job, { ...connection(), concurrency: 4 });
  await during();
  await worker.close();
}

test('500 invalidations of few tickers while no worker runs leave one waiting job for each (rule 13.4)', {
  tags: ['long'],
}, async () => {
  const { db } = world.mongo;
  for (let n = 0; n < 500; n += 1) {
    const ticker = TICKERS[n % TICKERS.length] ?? AAPL;
    await invalidate(db, 'brief', [ticker]);
    await enqueueBriefs(context(), [ticker]);
  }
  expect((await waiting()).sort()).toEqual([...TICKERS].sort());
});

test('what is added while a job of the key runs becomes one job after it (rule 13.4)', async () => {
  const started: number[] = [];
  let running = 0;
  let end: () => void = () => undefined;
  const first = new Promise<void>((resolve) => {
    end = resolve;
  });
  const job = async ({ data }: BullJob): Promise<void> => {
    running += 1;
    expect(running).toBe(1);
    started.push(data.version);
    if (started.length === 1) await first;
    running -= 1;
  };
  await withWorker(job, async () => {
    await enqueue(1);
    await waitUntil(async () => started.length === 1, LIMIT_MS);
    // The dispatcher repeats the version that runs: that is no new job.
    for (const version of [1, 2, 3, 4, 1]) await enqueue(version);
    expect(await waiting()).toEqual([]);
    end();
    await waitUntil(async () => started.length === 2 && (await producer.load(['brief'])) === 0, LIMIT_MS);
  });
  expect(started).toEqual([1, 4]);
});

test('a repeated version of a running job adds nothing', async () => {
  let runs = 0;
  const job = async (): Promise<void> => {
    runs += 1;
    await enqueue(1);
  };
  await withWorker(job, async () => {
    await enqueue(1);
    await waitUntil(async () => runs > 0 && (await producer.load(['brief'])) === 0, LIMIT_MS);
  });
  expect(runs).toBe(1);
});

test('a key that waits for history moves up when a live filing invalidates it', async () => {
  const { db } = world.mongo;
  await invalidate(db, 'brief', ['GM', 'TSLA', 'META']);
  await enqueueBriefs(context(), ['GM', 'TSLA', 'META']);
  await invalidate(db, 'brief', ['TSLA']);
  await invalidate(db, { kind: 'brief', lane: 'live' }, ['META']);
  await enqueueBriefs(context(), ['META']);
  const order: string[] = [];
  const worker = new Worker('brief', async ({ data }) => void order.push(data.ticker), connection());
  await waitUntil(async () => order.length === 3, LIMIT_MS);
  await worker.close();
  expect(order[0]).toBe('META');
});

/** A key that stays blocked would never be computed again: MongoDB knows it, the queue refuses it. */
test.each<[string, () => Promise<unknown>]>([
  ['a lost queue', async () => deleteKeys('*')],
  ['a job that lost its data', async () => deleteKeys('brief-AAPL-v1')],
  ['a job removed by hand', async () => (await queue.getJob('brief-AAPL-v1'))?.remove()],
  ['a queue emptied by hand', () => queue.drain()],
])('%s blocks no key (rule 13.4)', async (_, lose) => {
  await enqueue(1);
  await lose();
  await enqueue(2);
  expect((await queue.getJob('brief-AAPL-v2'))?.data).toEqual({ ticker: 'AAPL', version: 2 });
  await enqueue(3);
  expect(await queue.getJob('brief-AAPL-v3')).toBeUndefined();
});

test('a job that failed for good blocks neither its version nor its key (rule 13.4)', async () => {
  let tries = 0;
  const job = async (): Promise<void> => {
    tries += 1;
    throw new Error('fails');
  };
  await withWorker(job, async () => {
    await enqueue(1);
    await waitUntil(async () => (await producer.load(['brief'])) === 0, LIMIT_MS);
  });
  expect(tries).toBe(QUEUES.brief.attempts);
  await enqueue(1);
  expect(await waiting()).toEqual(['AAPL']);
});

test('a job that waited behind a result of its key leaves the key to the dispatcher', async () => {
  const { db } = world.mongo;
  const [built, later] = ['2018-11-30T12:00:00.000Z', '2018-11-30T12:00:20.000Z'];
  const current = {
    _id: AAPL,
    briefId: 'shown',
    version: 1,
    corpus: 0,
    algorithm: '',
    at: built,
    managersObserved: 1,
    lane: 'backfill' as const,
  };
  await currentBriefsIn(db).insertOne(current);
  await invalidate(db, 'brief', ['AAPL']);
  await JOBS.brief(context(new Date(later)), { ticker: AAPL, version: 2 });
  expect(await pendingVersion(db, 'brief', 'AAPL')).not.toBeNull();
  expect((await currentBriefsIn(db).findOne({ _id: AAPL }))?.briefId).toBe('shown');
  await enqueueBriefs(context(new Date(later)), ['AAPL']);
  expect(await waiting()).toEqual([]);
  await enqueueBriefs(context(new Date('2018-11-30T12:00:30.000Z')), ['AAPL']);
  expect(await waiting()).toEqual(['AAPL']);
});

test.each(['dispatch', 'poll'] as const)(
  '%s never piles up: while one waits, none is added',
  async (name) => {
    for (let slot = 0; slot < 100; slot += 2) await producer.enqueue(QUEUES[name], { slot });
    expect(await producer.load([name])).toBe(1);
  },
);

test('a failed poll does not keep the next one from being added', async () => {
  const worker = new Worker('poll', async () => Promise.reject(new Error('fails')), connection());
  await producer.enqueue(QUEUES.poll, { slot: 1 });
  await waitUntil(async () => (await producer.load(['poll'])) === 0, LIMIT_MS);
  await worker.close();
  await producer.enqueue(QUEUES.poll, { slot: 2 });
  expect(await producer.load(['poll'])).toBe(1);
});

async function deleteKeys(name: string): Promise<void> {
  const keys = await world.queue.keys(`${bullPrefix(world.config.queuePrefix)}:brief:${name}`);
  if (keys.length > 0) await world.queue.del(...keys);
}
