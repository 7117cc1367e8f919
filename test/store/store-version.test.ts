import { afterAll, beforeAll, expect, test } from 'vitest';
import { openContext } from '../../src/context.ts';
import { openWorld, servicesOfWorker, type World } from '../world.ts';

let world: World;

beforeAll(async () => {
  world = await openWorld();
});

afterAll(() => world?.close());

test('a database of an earlier version is refused with one clear line, and nothing in it changes', async () => {
  const { db } = world.mongo;
  const urls = servicesOfWorker();
  await (await openContext(world.config, urls)).close();
  // The shape of 0.1: the content of a filing lies under the name of its form.
  await db.collection('filings').insertOne({ form: '13F-HR', state: 'published', thirteenF: {} });
  const before = await db.listCollections().toArray();
  await expect(openContext(world.config, urls)).rejects.toThrow(/earlier version of Tidemark/);
  expect(await db.listCollections().toArray()).toEqual(before);
});
