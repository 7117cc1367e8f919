import { afterAll, beforeAll, expect, test } from 'vitest';
import { ensureIndexes } from '../../src/store/mongo/indexes.ts';
import { openWorld, type World } from '../world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

test('missing indexes are built, also by several processes at once', async () => {
  const { db } = world.mongo;
  await ensureIndexes(db);
  await db.collection('events').dropIndex('one_event_per_filing');
  await Promise.all([ensureIndexes(db), ensureIndexes(db), ensureIndexes(db)]);
  expect(await db.collection('events').indexExists('one_event_per_filing')).toBe(true);
});
