import { MongoClient } from 'mongodb';
import { expect, it } from 'vitest';
import { invalidate } from '../../src/store/invalidation/invalidate.ts';
import {
  countPending,
  invalidationsIn,
  listPending,
  pendingVersion,
  settleInvalidation,
} from '../../src/store/invalidation/invalidation.ts';
import { ensureIndexes } from '../../src/store/mongo/indexes.ts';
import { opened } from '../opened.ts';
import { openWorld } from '../world.ts';
import { indexesOf, recordReads } from './plan.ts';

const world = opened(openWorld);

it('invalidations of one key coalesce and raise its version', async () => {
  const { db } = world.mongo;
  await invalidate(db, 'brief', ['AAPL', 'AAPL', 'GM']);
  await invalidate(db, 'brief', ['AAPL']);
  expect(await pendingVersion(db, 'brief', 'AAPL')).toBe(2);
  expect(await pendingVersion(db, 'brief', 'GM')).toBe(1);
  expect(await countPending(db, 'brief')).toBe(2);
});

it('a key that is invalidated again while it is computed stays pending', async () => {
  const { db } = world.mongo;
  await invalidate(db, 'report', ['a']);
  const version = (await pendingVersion(db, 'report', 'a')) ?? 0;
  await invalidate(db, 'report', ['a']);
  await settleInvalidation(db, 'report', 'a', version);
  expect((await listPending(db, 'report', 10)).map((doc) => doc.key)).toEqual(['a']);
  await settleInvalidation(db, 'report', 'a', version + 1);
  expect(await countPending(db, 'report')).toBe(0);
});

it('two hundred parallel invalidations of new keys lose none', async () => {
  const { db } = world.mongo;
  const keys = Array.from({ length: 20 }, (_, n) => `k${n}`);
  await Promise.all(Array.from({ length: 10 }, () => invalidate(db, 'brief', keys)));
  const docs = await invalidationsIn(db)
    .find({ _id: { $in: keys.map((key) => `brief|${key}`) } })
    .toArray();
  expect(docs).toHaveLength(20);
  expect(docs.map((doc) => Number(doc.version))).toEqual(keys.map(() => 10));
});

it('a key that a crash of the database lost is invalidated again, and its neighbours stay pending', async () => {
  const { db } = world.mongo;
  await invalidate(db, 'insider', ['1', '2']);
  await invalidationsIn(db).deleteOne({ _id: 'insider|1' });
  await invalidate(db, 'insider', ['1', '2']);
  expect((await listPending(db, 'insider', 10)).map((doc) => doc.key).sort()).toEqual(['1', '2']);
});

it('no key starves behind keys that are invalidated again as soon as they are computed', async () => {
  const { db } = world.mongo;
  const restless = Array.from({ length: 20 }, (_, n) => `restless-${n}`);
  const listed = async () => (await listPending(db, 'holders', restless.length)).map((doc) => doc.key);
  await invalidate(db, 'holders', restless);
  await invalidate(db, 'holders', ['patient']);
  expect(await listed()).not.toContain('patient');
  // Invalidating keys that wait changes no place. A result does, also when it was overtaken.
  await invalidate(db, 'holders', ['patient']);
  for (const key of restless) {
    const version = (await pendingVersion(db, 'holders', key)) ?? 0;
    await invalidate(db, 'holders', [key]);
    await settleInvalidation(db, 'holders', key, version);
  }
  expect((await listed())[0]).toBe('patient');
  expect(await countPending(db, 'holders')).toBe(21);
});

it('settling a key that is not pending leaves it so', async () => {
  const { db } = world.mongo;
  await invalidate(db, 'search', ['f0']);
  await settleInvalidation(db, 'search', 'f0', 1);
  await settleInvalidation(db, 'search', 'f0', 0);
  expect(await pendingVersion(db, 'search', 'f0')).toBeNull();
});

it('pending keys are read oldest first from an index', async () => {
  await ensureIndexes(world.mongo.db);
  const client = new MongoClient(world.env['MONGO_URL'] ?? '', { monitorCommands: true });
  const reads = recordReads(client);
  const db = client.db(world.config.mongoDb);
  await listPending(db, 'brief', 10);
  await listPending(db, { kind: 'report', lane: 'live' }, 10);
  const plans = await Promise.all(reads.map((read) => indexesOf(world.mongo.db, read)));
  await client.close();
  expect(plans.map((plan) => plan?.includes('oldest_of_lane'))).toEqual([true, true]);
});
