import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { enqueuePendingBriefs } from '../../jobs/pending/enqueue.ts';
import type { JobContext } from '../../jobs/worker/context.ts';
import { openProducer, type Producer } from '../../jobs/worker/producer.ts';
import { QUEUES } from '../../queues/index.ts';
import { computeCorpus } from '../../src/derive/corpus/corpus.ts';
import type { Accession, QuarterEnd } from '../../src/domain/ids.ts';
import { type FilingDoc, filingsIn } from '../../src/store/filing/filings.ts';
import { requireAsOf } from '../../src/store/filing/settings.ts';
import { invalidate, invalidateBriefs } from '../../src/store/invalidation/invalidate.ts';
import { invalidationsIn } from '../../src/store/invalidation/invalidation.ts';
import { publishCorpus } from '../../src/store/publish/corpus.ts';
import { seed } from '../api/corpus.ts';
import { openWorld, type World } from '../world.ts';

/** One more than a storm's bound. */
const MANY = 101;
const MINUTE_MS = 60_000;

let world: World;
let producer: Producer;
beforeAll(async () => {
  world = await openWorld();
  producer = openProducer(world.queue, world.config.queuePrefix);
  const { db } = world.mongo;
  await seed(db);
  const corpus = await computeCorpus(db, await requireAsOf(db));
  await publishCorpus(db, corpus, { at: '2018-12-03T12:00:00.000Z', before: null });
});
afterAll(async () => {
  await producer.close();
  await world.close();
});
beforeEach(async () => {
  const { db } = world.mongo;
  await db.collection('invalidations').deleteMany({});
  await filingsIn(db).deleteMany({ lane: 'live' });
  await invalidateBriefs(db, ['AAPL'], { lane: 'live' });
});
afterEach(async () => {
  const { db } = world.mongo;
  await db.collection('invalidations').deleteMany({});
  await filingsIn(db).deleteMany({ lane: 'live' });
  await invalidateBriefs(db, ['AAPL']);
  // The process sees that the storm is over.
  await enqueued();
  await producer.clear(['brief']);
});

/** How many briefs a dispatch enqueues so many minutes later. */
async function enqueued(minutes = 0): Promise<number> {
  const now = () => new Date(Date.now() + minutes * MINUTE_MS);
  const config = { ...world.config, briefDebounceMs: 30_000 };
  const context = { config, db: world.mongo.db, producer, now, announceCorpus: async () => undefined };
  await enqueuePendingBriefs(context as unknown as JobContext, ['AAPL']);
  return producer.load(['brief']);
}

/** Live filings at a stage, due at once or an hour later. */
async function bring(count: number, state: FilingDoc['state'], isDue = true): Promise<void> {
  const nextAt = new Date(Date.now() + (isDue ? -1 : 60) * MINUTE_MS).toISOString();
  const docs = Array.from({ length: count }, (_, at) => ({
    _id: `0000000001-18-${state === 'fetched' ? '1' : '0'}${String(at).padStart(5, '0')}` as Accession,
    ...{ state, lane: 'live', nextAt, filedDate: '2018-12-03' },
  }));
  await filingsIn(world.mongo.db).insertMany(docs as FilingDoc[]);
}

const FETCHED = { _id: '0000000001-18-900000' as Accession, state: 'fetched', filedDate: '2018-12-03' };

const reports = (count: number, lane: 'live' | 'backfill') =>
  invalidate(
    world.mongo.db,
    { kind: 'report', lane },
    Array.from({ length: count }, (_, at) => `${String(at).padStart(10, '0')}|2018-09-30`),
  );

test('some live filings hold up no brief', async () => {
  await bring(MANY - 1, 'discovered');
  expect(await enqueued()).toBe(1);
});

test('in a storm a brief waits for its end, and for five minutes at most', async () => {
  await bring(MANY, 'fetched');
  expect(await enqueued()).toBe(0);
  expect(await enqueued(4)).toBe(0);
  expect(await enqueued(6)).toBe(1);
});

test('stages are counted together, and what follows the storm is built', async () => {
  await bring(40, 'discovered');
  await bring(40, 'fetched');
  await reports(40, 'live');
  expect(await enqueued()).toBe(0);
  await filingsIn(world.mongo.db).deleteMany({ lane: 'live' });
  // Its last reports are still compared.
  expect(await enqueued()).toBe(0);
  await invalidationsIn(world.mongo.db).deleteMany({ kind: 'report' });
  expect(await enqueued()).toBe(1);
});

test('peers and reports at work after a storm are waited for; not while history is read', async () => {
  const { db } = world.mongo;
  await bring(MANY, 'fetched');
  expect(await enqueued()).toBe(0);
  await filingsIn(db).deleteMany({ lane: 'live' });
  await producer.enqueue(QUEUES.peers, { quarterEnd: '2018-09-30' as QuarterEnd, version: 1 });
  expect(await enqueued()).toBe(0);
  await producer.clear(['peers']);
  await producer.enqueue(QUEUES.diffs, { part: '1', at: 1 });
  expect(await enqueued()).toBe(0);
  const history = { ...FETCHED, lane: 'backfill', nextAt: new Date(0).toISOString() };
  await filingsIn(db).insertOne(history as FilingDoc);
  expect(await enqueued()).toBe(1);
  await filingsIn(db).deleteOne({ _id: FETCHED._id });
  await producer.clear(['diffs']);
});

test('a report that fails for ever keeps no storm alive', async () => {
  await bring(MANY, 'fetched');
  await reports(1, 'live');
  expect(await enqueued()).toBe(0);
  await filingsIn(world.mongo.db).deleteMany({ lane: 'live' });
  expect(await enqueued(6)).toBe(1);
  await producer.clear(['brief']);
  // A brief that has just become pending, long after the storm.
  const at = new Date(Date.now() + 7 * MINUTE_MS);
  await invalidationsIn(world.mongo.db).updateOne({ _id: 'brief|AAPL' }, { $set: { at } });
  expect(await enqueued(7)).toBe(1);
});

test('neither history nor filings that wait for their next try are a storm', async () => {
  await reports(MANY, 'backfill');
  await bring(MANY, 'discovered', false);
  expect(await enqueued()).toBe(1);
});
