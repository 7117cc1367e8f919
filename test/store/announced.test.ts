import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Ticker } from '../../src/domain/ids.ts';
import { currentBriefsIn, noteAnnounced, setCurrentBrief } from '../../src/store/publish/briefs.ts';
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
const announce = (briefId: string) => noteAnnounced(world.mongo.db, AAPL, briefId);
const current = () => currentBriefsIn(world.mongo.db).findOne({ _id: AAPL });

test('a brief whose id did not change is announced to nobody, and counts as built', async () => {
  expect(await set('one', 1)).toBe(true);
  await announce('one');
  // By the same job again, in another worker, after a restart.
  expect([await set('one', 1), await set('one', 2)]).toEqual([false, false]);
  expect(await current()).toMatchObject({ briefId: 'one', version: 2, at: 'at 2' });
  expect(await set('other', 3)).toBe(true);
  await announce('other');
  expect(await set('one', 4)).toBe(true);
});

test('a brief that was set before a crash is announced by the next job, of whichever version', async () => {
  expect(await set('one', 1)).toBe(true);
  expect(await set('one', 1)).toBe(true);
  expect(await set('one', 2)).toBe(true);
});

test('an announcement that comes late does not hide the brief that replaced its own', async () => {
  await set('one', 1);
  await set('other', 2);
  await announce('one');
  expect(await set('other', 3)).toBe(true);
});

test('an older version changes and announces nothing, with the same id or another one', async () => {
  await set('one', 2);
  expect([await set('one', 1), await set('other', 1)]).toEqual([false, false]);
  expect(await current()).toMatchObject({ briefId: 'one', version: 2 });
});
