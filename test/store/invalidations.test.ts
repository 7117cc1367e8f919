import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  countPending,
  invalidate,
  invalidationsIn,
  listPending,
  settleInvalidation,
  versionOf,
} from '../../src/store/invalidation/invalidations.ts';
import { openWorld, type World } from '../world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

it('marks of one key coalesce and raise its version', async () => {
  const { db } = world.mongo;
  await invalidate(db, 'brief', ['AAPL', 'AAPL', 'GM']);
  await invalidate(db, 'brief', ['AAPL']);
  expect(await versionOf(db, 'brief', 'AAPL')).toBe(2);
  expect(await versionOf(db, 'brief', 'GM')).toBe(1);
  expect(await countPending(db, 'brief')).toBe(2);
});

it('a key that was marked again while it was computed stays marked', async () => {
  const { db } = world.mongo;
  await invalidate(db, 'report', ['a']);
  const version = await versionOf(db, 'report', 'a');
  await invalidate(db, 'report', ['a']);
  await settleInvalidation(db, 'report', 'a', version);
  expect((await listPending(db, 'report', 10)).map((doc) => doc.key)).toEqual(['a']);
  await settleInvalidation(db, 'report', 'a', version + 1);
  expect(await countPending(db, 'report')).toBe(0);
});

it('two hundred parallel marks of new keys lose none', async () => {
  const { db } = world.mongo;
  const keys = Array.from({ length: 20 }, (_, n) => `k${n}`);
  await Promise.all(Array.from({ length: 10 }, () => invalidate(db, 'brief', keys)));
  const marked = await invalidationsIn(db)
    .find({ _id: { $in: keys.map((key) => `brief|${key}`) } })
    .toArray();
  expect(marked).toHaveLength(20);
  expect(marked.map((doc) => Number(doc.version))).toEqual(keys.map(() => 10));
});

it('a key that a crash of the database took is marked again, and its neighbours stay marked', async () => {
  const { db } = world.mongo;
  await invalidate(db, 'insider', ['1', '2']);
  await invalidationsIn(db).deleteOne({ _id: 'insider|1' });
  await invalidate(db, 'insider', ['1', '2']);
  expect((await listPending(db, 'insider', 10)).map((doc) => doc.key).sort()).toEqual(['1', '2']);
});
