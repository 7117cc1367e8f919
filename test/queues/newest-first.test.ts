import { Queue, Worker } from 'bullmq';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { enqueuePendingFilings } from '../../jobs/pending/filings.ts';
import { discoverListed } from '../../jobs/poll.ts';
import type { JobContext } from '../../jobs/worker/context.ts';
import { bullPrefix, openProducer, type Producer } from '../../jobs/worker/producer.ts';
import { waitUntil } from '../../packages/embedded/wait.ts';
import { LANES, type Lane } from '../../src/domain/filing/lane.ts';
import type { Accession, Cik, IsoDate } from '../../src/domain/ids.ts';
import { FORMS } from '../../src/forms/index.ts';
import { filingsIn } from '../../src/store/filing/filings.ts';
import { ensureIndexes } from '../../src/store/mongo/indexes.ts';
import { opened } from '../opened.ts';
import { boundsOf, indexesOf, recordReads } from '../store/plan.ts';
import { openWorld } from '../world.ts';

/** More than the queue keeps. */
const BACKFILLED = 1_200;
const LIMIT_MS = 60_000;
const LIVE = '0009999999-18-000001' as Accession;

const world = opened(openWorld);
let producer: Producer;
let queue: Queue;
beforeAll(async () => {
  await ensureIndexes(world.mongo.db);
  producer = openProducer(world.queue, world.config.queuePrefix);
  queue = new Queue('fetch', connection());
});
afterAll(async () => {
  await queue.close();
  await producer.close();
});

const connection = () => ({ connection: world.queue, prefix: bullPrefix(world.config.queuePrefix) });

const context = (db = world.mongo.db): JobContext =>
  ({ db, producer, forms: FORMS, now: () => new Date() }) as unknown as JobContext;

const listed = (accession: string, filedDate: string) => ({
  accession: accession as Accession,
  cik: '0001067983' as Cik,
  form: '13F-HR',
  company: 'BERKSHIRE HATHAWAY INC',
  filedDate: filedDate as IsoDate,
});

/** The first `count` filings that a worker takes from the queue. */
async function taken(count: number): Promise<string[]> {
  const found: string[] = [];
  const worker = new Worker('fetch', async ({ data }) => void found.push(data.accession), connection());
  await waitUntil(async () => found.length >= count, LIMIT_MS);
  await worker.close();
  return found.slice(0, count);
}

/** The indexes of each read of filings, while they are enqueued. */
async function plansOfDispatcher() {
  const client = new MongoClient(world.env['MONGO_URL'] ?? '', { monitorCommands: true });
  const reads = recordReads(client);
  await enqueuePendingFilings(context(client.db(world.config.mongoDb)));
  const { db } = world.mongo;
  const bounds = (await Promise.all(reads.map((read) => boundsOf(db, read)))).flat();
  const plans = await Promise.all(bounds.map((bound) => indexesOf(db, bound)));
  await client.close();
  return plans;
}

test('while more filings of a backfill wait than a queue keeps, a filing from the feed is fetched next (rule 13.4)', async () => {
  const days = ['2014-02-14', '2018-08-14'];
  for (const [year, day] of days.entries()) {
    const rows = Array.from({ length: BACKFILLED / days.length }, (_, n) =>
      listed(`000000000${year}-14-${String(n).padStart(6, '0')}`, day),
    );
    await discoverListed(context(), rows, 'backfill');
  }
  expect(await filingsIn(world.mongo.db).countDocuments({ state: 'discovered' })).toBe(BACKFILLED);
  // The backlog is in MongoDB: the queue keeps some hundred, however often the dispatcher runs.
  for (let n = 0; n < 3; n += 1) await enqueuePendingFilings(context());
  expect(await producer.load(['fetch'])).toBeLessThanOrEqual(1_000);

  await discoverListed(context(), [listed(LIVE, '2018-11-14')], 'live');
  expect((await taken(1))[0]).toBe(LIVE);
});

test('after a lost queue the dispatcher begins with the newest filings, through an index', async () => {
  await queue.obliterate({ force: true });
  const plans = await plansOfDispatcher();
  // Whether any waits; then of each lane, and of the units of history.
  const stages = ['any', ...[...LANES, 'units'].flatMap((what) => [`${what} to fetch`, `${what} to parse`])];
  expect(plans.map((plan) => plan?.includes('newest_of_lane'))).toEqual(stages.map(() => true));
  const [first, second] = await taken(2);
  expect(first).toBe(LIVE);
  expect(second).toMatch(/^0000000001-/);
});

describe('a filing of a more urgent lane', () => {
  const [OLD, WAITING, STORED] = ['0000000000-14-000001', '0000000000-14-000002', '0000000000-14-000003'];
  const find = (accession = '', lane: Lane) =>
    discoverListed(context(), [listed(accession, '2014-02-14')], lane);
  const laneOf = async (_id = '') =>
    (await filingsIn(world.mongo.db).findOne({ _id: _id as Accession }))?.lane;

  test('comes before those of later days, live before reconcile', async () => {
    await queue.obliterate({ force: true });
    await filingsIn(world.mongo.db).deleteMany({});
    for (const day of ['2018-11-14', '2018-11-13']) {
      await discoverListed(context(), [listed(`0000000009-18-0000${day.slice(8)}`, day)], 'backfill');
    }
    await discoverListed(context(), [listed('0000000008-18-000001', '2018-11-01')], 'reconcile');
    await find(OLD, 'live');
    await enqueuePendingFilings(context());
    expect(await taken(4)).toEqual([
      OLD,
      ...['0000000008-18-000001', '0000000009-18-000014', '0000000009-18-000013'],
    ]);
  });

  test('moves up where it waits, on the queue or in MongoDB alone, and never back', async () => {
    await filingsIn(world.mongo.db).deleteMany({});
    await discoverListed(context(), [listed('0000000009-18-000099', '2018-11-30')], 'backfill');
    await find(WAITING, 'backfill');
    await enqueuePendingFilings(context());
    await discoverListed(context(), [listed(STORED ?? '', '2014-02-13')], 'backfill');
    await find(WAITING, 'live');
    await discoverListed(context(), [listed(STORED ?? '', '2014-02-13')], 'reconcile');
    await find(WAITING, 'reconcile');
    expect(await Promise.all([WAITING, STORED].map(laneOf))).toEqual(['live', 'reconcile']);
    expect(await producer.load(['fetch'])).toBe(3);
    expect(await taken(3)).toEqual([WAITING, STORED, '0000000009-18-000099']);
  });
});

test('an import whose document is wanted is fetched, through an index of such imports', async () => {
  await queue.obliterate({ force: true });
  await filingsIn(world.mongo.db).deleteMany({});
  const imported = listed('0000000005-14-000001', '2014-02-14');
  await discoverListed(context(), [imported], 'backfill');
  await filingsIn(world.mongo.db).updateOne(
    { _id: imported.accession },
    { $set: { state: 'parsed', documentWanted: true } },
  );
  expect((await plansOfDispatcher()).at(-1)).toContain('documents_wanted');
  expect(await taken(1)).toEqual([imported.accession]);
});

test('a live filing is enqueued by the dispatcher although the queue is full of history', async () => {
  await queue.obliterate({ force: true });
  const rows = Array.from({ length: 600 }, (_, n) =>
    listed(`0000000007-14-${String(n).padStart(6, '0')}`, '2014-02-14'),
  );
  await discoverListed(context(), rows, 'backfill');
  await enqueuePendingFilings(context());
  // As if its job was lost.
  const lost = { ...producer, enqueueAll: async () => undefined };
  const live = listed('0000000006-18-000001', '2018-11-14');
  await discoverListed({ ...context(), producer: lost }, [live], 'live');
  await enqueuePendingFilings(context());
  expect((await taken(1))[0]).toBe('0000000006-18-000001');
});
