import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  countPending,
  invalidate,
  invalidationsIn,
  listPending,
  pendingVersion,
  settleInvalidation,
} from '../../src/store/invalidation/invalidations.ts';
import { openWorld, type World } from '../world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

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
