import { Queue } from 'bullmq';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { dueAmong, enqueuePendingReports, enqueueReports } from '../../jobs/pending/enqueue.ts';
import { pendingUnit } from '../../jobs/pending/units.ts';
import type { JobContext } from '../../jobs/worker/context.ts';
import { bullPrefix, openProducer, type Producer } from '../../jobs/worker/producer.ts';
import { LANES, type Lane } from '../../src/domain/filing/lane.ts';
import { filingsIn } from '../../src/store/filing/filings.ts';
import { invalidate } from '../../src/store/invalidation/invalidate.ts';
import {
  listPending,
  pendingInvalidation,
  postponeInvalidations,
  settleInvalidation,
} from '../../src/store/invalidation/invalidation.ts';
import { opened } from '../opened.ts';
import { openWorld } from '../world.ts';

const HISTORY = { part: '0', lane: 'backfill' } as const;
const KEY = '0000000001|2013-06-30';

const world = opened(openWorld);
let producer: Producer;
let queue: Queue;
beforeAll(async () => {
  producer = openProducer(world.queue, world.config.queuePrefix);
  queue = new Queue('diff', connection());
});
afterAll(async () => {
  await queue.close();
  await producer.close();
});
beforeEach(() => world.mongo.db.collection('invalidations').deleteMany({}));
afterEach(() => producer.clear(['diff']));

const connection = () => ({ connection: world.queue, prefix: bullPrefix(world.config.queuePrefix) });
const context = (): JobContext =>
  ({ config: world.config, db: world.mongo.db, producer, now: () => new Date() }) as unknown as JobContext;

/** What a filing of the lane does: it invalidates its report and enqueues the comparison. */
async function file(lane: Lane, key = KEY): Promise<void> {
  await invalidate(world.mongo.db, { kind: 'report', lane }, [key]);
  await enqueueReports(context(), [key]);
}

const dispatch = () => enqueuePendingReports(context());
const laneOf = async () => (await pendingInvalidation(world.mongo.db, 'report', KEY))?.lane;

/** The units of a part in the order in which a job compares them: of each lane its keys. */
async function unitsOf(part: string): Promise<string[][]> {
  const units = LANES.map(async (lane) => (await pendingUnit(world.mongo.db, { part, lane })).unit);
  return (await Promise.all(units)).map((unit) =>
    unit.map(({ key: { cik, quarterEnd } }) => `${Number(cik)} ${quarterEnd}`),
  );
}

test('a report that a live filing invalidates stays live among marks of other lanes and turns of the dispatcher (rule 13.4)', async () => {
  await file('reconcile');
  for (const cik of ['0000000009', '0000000017']) await file('reconcile', `${cik}|2018-09-30`);
  await dispatch();
  await file('live');
  await dispatch();
  await file('backfill');
  await dispatch();
  const [live, reconcile = [], backfill] = await unitsOf('1');
  expect(live).toEqual(['1 2013-06-30']);
  expect(reconcile.sort()).toEqual(['17 2018-09-30', '9 2018-09-30']);
  expect(backfill).toEqual([]);
});

test('reports are compared in units: a part of the managers has one waiting job, however many are pending', async () => {
  for (let n = 1; n <= 40; n += 1) await file('backfill', `${String(n).padStart(10, '0')}|2018-09-30`);
  await dispatch();
  expect(await producer.load(['diff'])).toBe(8);
  const history = { part: '3', lane: 'backfill' } as const;
  const { unit, isLast } = await pendingUnit(world.mongo.db, history);
  expect(unit.map(({ key }) => Number(key.cik))).toEqual([3, 11, 19, 27, 35]);
  expect(isLast).toBe(true);
  // What a live filing brings is not among them.
  await file('live', '0000000011|2018-09-30');
  expect((await pendingUnit(world.mongo.db, history)).unit).toHaveLength(4);
});

test('a unit is bounded, and takes the later quarters first', async () => {
  const { db } = world.mongo;
  const keys = Array.from({ length: 100 }, (_, n) => `${String(n * 8).padStart(10, '0')}|2018-09-30`);
  await invalidate(db, 'report', keys.slice(0, 50));
  await invalidate(db, 'report', ['0000000008|2018-12-31']);
  await invalidate(db, 'report', keys.slice(50));
  const { unit, isLast } = await pendingUnit(db, HISTORY);
  expect(unit).toHaveLength(64);
  expect(unit[0]?.key.quarterEnd).toBe('2018-12-31');
  expect(isLast).toBe(false);
});

test('reports that fail keep no other from its turn, however many and of whatever quarter', async () => {
  const { db } = world.mongo;
  const keysOf = (count: number, quarterEnd: string) =>
    Array.from({ length: count }, (_, n) => `${String(n * 8).padStart(10, '0')}|${quarterEnd}`);
  await invalidate(db, 'report', keysOf(70, '2018-12-31'));
  await invalidate(db, 'report', keysOf(5, '2018-09-30'));
  const quarters: string[] = [];
  for (const _ of [1, 2]) {
    const { unit } = await pendingUnit(db, HISTORY);
    quarters.push(...unit.map(({ key }) => key.quarterEnd));
    const failed = unit.map(({ key }) => `${key.cik}|${key.quarterEnd}`);
    await postponeInvalidations(db, 'report', failed);
  }
  expect(quarters.filter((quarter) => quarter === '2018-09-30')).toHaveLength(5);
});

test('a unit is as long as the tables that it reads, shown or not, with those of the quarter before', async () => {
  const { db } = world.mongo;
  const long = ['0000000008', '0000000016', '0000000024'];
  const filed = long.flatMap((cik) =>
    ['2018-06-30', '2018-09-30'].map((quarterEnd) => ({
      ...{ _id: `${cik}-${quarterEnd}`, cik, state: 'parsed', rows: { count: 4_500 } },
      content: { kind: 'thirteen_f', quarterEnd },
    })),
  );
  await filingsIn(db).insertMany(filed as never);
  await invalidate(
    db,
    'report',
    long.map((cik) => `${cik}|2018-09-30`),
  );
  expect((await pendingUnit(db, HISTORY)).unit).toHaveLength(2);
});

test('a result without a later mark ends the lane', async () => {
  const { db } = world.mongo;
  await file('live');
  await file('backfill');
  expect(await laneOf()).toBe('live');
  await settleInvalidation(db, 'report', KEY, 1);
  expect(await laneOf()).toBe('live');
  await settleInvalidation(db, 'report', KEY, 2);
  await file('backfill');
  expect(await laneOf()).toBe('backfill');
  await file('reconcile');
  expect(await laneOf()).toBe('reconcile');
});

test('of a part, live reports are compared before those of the daily index, and the later quarter first', async () => {
  await file('reconcile', '0000000008|2018-12-31');
  await file('reconcile', '0000000016|2013-06-30');
  await file('reconcile', '0000000024|2013-09-30');
  await file('live', '0000000032|2013-03-31');
  await file('live', '0000000040|2013-06-30');
  await file('backfill', '0000000048|2018-12-31');
  expect(await unitsOf('0')).toEqual([
    ['40 2013-06-30', '32 2013-03-31'],
    ['8 2018-12-31', '24 2013-09-30', '16 2013-06-30'],
    ['48 2018-12-31'],
  ]);
});

test('a lost queue is filled again, whatever the lanes', async () => {
  const { db } = world.mongo;
  for (const [n, lane] of LANES.entries()) {
    await invalidate(db, { kind: 'report', lane }, [`000000000${n}|2018-09-30`]);
  }
  for (const lane of LANES) expect(await listPending(db, { kind: 'report', lane }, 10)).toHaveLength(1);
  await dispatch();
  const jobs = await queue.getJobs(['waiting', 'prioritized']);
  expect(jobs.map(({ data }) => data.part).sort()).toEqual(['0', '1', '2']);
});

test('a live change does not wait for the debounce of a brief that history had built, but for that of a live one', async () => {
  const db = world.mongo.db.collection<{ _id: string }>('current_briefs');
  const now = () => new Date('2018-12-03T12:00:00.000Z');
  const config = { ...world.config, briefDebounceMs: 30_000 };
  for (const built of LANES) {
    await db.replaceOne({ _id: 'AAPL' }, { at: now().toISOString(), lane: built }, { upsert: true });
    const keys = LANES.map((lane) => ({ key: 'AAPL', lane }));
    const due = await dueAmong({ ...context(), config, now }, 'current_briefs', keys);
    expect(due.map(({ lane }) => lane)).toEqual(LANES.slice(0, LANES.indexOf(built)));
  }
});
