import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLogger } from '../../src/log.ts';
import { buildIndexes, ensureIndexes, missingIndexes } from '../../src/store/mongo/indexes.ts';
import { openWorld, type World } from '../world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

test('indexes of an earlier release that no read uses are dropped, by several processes at once', async () => {
  const { db } = world.mongo;
  await db.collection('filings').createIndex({ state: 1, nextAt: 1 }, { name: 'pending_stage' });
  await db.collection('invalidations').createIndex({ pending: 1, kind: 1 }, { name: 'pending' });
  await Promise.all([ensureIndexes(db), ensureIndexes(db), ensureIndexes(db)]);
  const names = async (name: string) => (await db.collection(name).indexes()).map((index) => index.name);
  expect(await names('filings')).toEqual(expect.arrayContaining(['newest_of_lane', 'by_filed_date']));
  expect(await names('filings')).not.toContain('pending_stage');
  expect(await names('invalidations')).toEqual(['_id_', 'oldest_of_lane']);
});

test('a missing index of a full collection is built while the worker starts, unless a write needs it', async () => {
  const other = await openWorld();
  const { db } = other.mongo;
  await db.collection<{ _id: string }>('filings').insertOne({ _id: 'one' });
  await db.collection<{ _id: number; accession: string }>('events').insertOne({ _id: 1, accession: 'one' });
  const { rest } = await buildIndexes(db, createLogger('silent', 'test'));
  expect(await db.collection('events').indexExists('one_event_per_filing')).toBe(true);
  expect(await db.collection('trades').indexExists('listed')).toBe(true);
  await rest;
  expect(await missingIndexes(db)).toEqual([]);
  await other.close();
});
