import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { insiders } from '../../jobs/insiders.ts';
import { enqueuePendingInsiders, unitOfIssuers } from '../../jobs/pending/issuers.ts';
import type { JobContext } from '../../jobs/worker/context.ts';
import { openPrecedence } from '../../jobs/worker/precedence.ts';
import { openProducer, type Producer } from '../../jobs/worker/producer.ts';
import { cikOf, form4, ISSUER } from '../../src/domain/brief/brief.sample.ts';
import type { Lane } from '../../src/domain/filing/lane.ts';
import type { IsoDate } from '../../src/domain/ids.ts';
import { discoverFilings, type FoundFiling } from '../../src/store/filing/claims.ts';
import { filingsIn } from '../../src/store/filing/filings.ts';
import { publishAsOf } from '../../src/store/filing/settings.ts';
import { invalidate, invalidationsIn, listPending } from '../../src/store/invalidation/invalidations.ts';
import { tradeRunsIn } from '../../src/store/trade/run.ts';
import { rowsOf, storeForm } from '../flow/issuer-forms.ts';
import { openWorld, type World } from '../world.ts';

const QUEUES = ['insider', 'insiders'] as const;

let world: World;
let producer: Producer;
beforeAll(async () => {
  world = await openWorld();
  producer = openProducer(world.queue, world.config.queuePrefix);
  await publishAsOf(world.mongo.db, '2020-06-30' as IsoDate);
});
afterAll(async () => {
  await producer.close();
  await world.close();
});
beforeEach(async () => {
  const { db } = world.mongo;
  for (const name of ['invalidations', 'filings', 'trades', 'trade_runs'])
    await db.collection(name).deleteMany({});
  await producer.clear(QUEUES);
});

function context(now = new Date()): JobContext {
  const base = { config: world.config, db: world.mongo.db, producer, precedence: openPrecedence() };
  return { ...base, now: () => now } as unknown as JobContext;
}

const { accession, filedDate } = form4({ number: 9 }).header;
const FOUND: FoundFiling = {
  accession,
  filedDate,
  cik: cikOf(9),
  form: '4',
  company: 'HISTORY',
  leg: 'form4',
  lane: 'backfill',
};

const changed = (lane: Lane, ...numbers: readonly number[]): Promise<void> =>
  invalidate(world.mongo.db, { kind: 'insider', lane }, numbers.map(cikOf));

test('issuers of history are reconciled in units: a part of them has one waiting job, however many are pending', async () => {
  await changed('backfill', ...Array.from({ length: 40 }, (_, n) => n + 1));
  await changed('reconcile', 41);
  await changed('live', 3, 42);
  await enqueuePendingInsiders(context());
  await enqueuePendingInsiders(context(new Date(Date.now() + 2_000)));
  expect(await producer.load(['insiders'])).toBe(4);
  expect(await producer.load(['insider'])).toBe(3);
  const { unit, isLast } = await unitOfIssuers(context(), '3');
  expect(unit.map(Number)).toEqual([7, 11, 15, 19, 23, 27, 31, 35, 39].map((n) => Number(cikOf(n))));
  expect(isLast).toBe(true);
});

test('a unit is bounded, takes who has waited longest, and enqueues the next one of its part', async () => {
  const numbers = Array.from({ length: 40 }, (_, n) => n * 4);
  await changed('backfill', ...numbers.slice(20));
  await invalidationsIn(world.mongo.db).updateMany({}, { $set: { at: new Date(0) } });
  await changed('backfill', ...numbers.slice(0, 20));
  const part = String(Number(cikOf(0)) % 4);
  const { unit, isLast } = await unitOfIssuers(context(), part);
  expect(unit).toHaveLength(32);
  expect(unit.slice(0, 20).sort()).toEqual(numbers.slice(20).map(cikOf).sort());
  expect(isLast).toBe(false);
  await insiders(context(), { part, at: 0 });
  expect(await listPending(world.mongo.db, 'insider', 100)).toHaveLength(8);
  expect(await producer.load(['insiders'])).toBe(1);
  await insiders(context(), { part, at: 1 });
  expect(await listPending(world.mongo.db, 'insider', 100)).toEqual([]);
});

test('while history is read, an issuer waits two minutes for more of its forms, and a live one does not', async () => {
  const { db } = world.mongo;
  await discoverFilings(db, [FOUND], new Date(0));
  await changed('backfill', 4);
  await changed('live', 5);
  const part = String(Number(cikOf(4)) % 4);
  await enqueuePendingInsiders(context());
  expect([await producer.load(['insider']), await producer.load(['insiders'])]).toEqual([1, 0]);
  expect((await unitOfIssuers(context(), part)).unit).toEqual([]);
  const later = context(new Date(Date.now() + 121_000));
  expect((await unitOfIssuers(later, part)).unit).toEqual([cikOf(4)]);
  await filingsIn(db).deleteMany({});
  expect((await unitOfIssuers(context(), part)).unit).toEqual([cikOf(4)]);
});

test('an issuer that cannot be reconciled leaves the others of its unit, goes to the back and fails the job', async () => {
  const { db } = world.mongo;
  const part = String(Number(ISSUER) % 4);
  const broken = cikOf(Number(part));
  await storeForm(db, form4({ number: 1 }));
  await changed('backfill', Number(part));
  await invalidationsIn(db).updateMany({}, { $set: { at: new Date(0) } });
  await invalidate(db, 'insider', [ISSUER]);
  await tradeRunsIn(db).insertOne({ _id: broken, version: 0, open: 'no list' as unknown as [] });
  expect((await unitOfIssuers(context(), part)).unit).toEqual([broken, ISSUER]);
  await expect(insiders(context(), { part, at: 0 })).rejects.toThrow();
  expect(await rowsOf(db)).toHaveLength(1);
  const [left, ...others] = await listPending(db, 'insider', 10);
  expect([left?.key, others]).toEqual([broken, []]);
  expect(left?.at?.getTime()).toBeGreaterThan(0);
});
