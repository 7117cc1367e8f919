import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Ticker } from '../../src/domain/ids.ts';
import { currentBriefsIn, setCurrentBrief } from '../../src/store/publish/briefs.ts';
import { openWorld, type World } from '../world.ts';

const AAPL = 'AAPL' as Ticker;

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());
beforeEach(async () => {
  await currentBriefsIn(world.mongo.db).deleteMany({});
});

/** True when the API processes have to hear of it. */
const set = (briefId: string, version: number): Promise<boolean> =>
  setCurrentBrief(world.mongo.db, { _id: AAPL, briefId, version, at: `at ${version}`, managersObserved: 1 });
const current = () => currentBriefsIn(world.mongo.db).findOne({ _id: AAPL });

test('a brief whose id did not change is announced to nobody, and counts as built', async () => {
  expect(await set('one', 1)).toBe(true);
  expect(await set('one', 2)).toBe(false);
  expect(await current()).toMatchObject({ briefId: 'one', version: 2, at: 'at 2' });
  expect(await set('other', 3)).toBe(true);
});

test('a brief that was set before a crash is announced when the job runs again', async () => {
  expect(await set('one', 1)).toBe(true);
  expect(await set('one', 1)).toBe(true);
});

test('an older version changes and announces nothing, with the same id or another one', async () => {
  await set('one', 2);
  expect(await set('one', 1)).toBe(false);
  expect(await set('other', 1)).toBe(false);
  expect(await current()).toMatchObject({ briefId: 'one', version: 2 });
});
