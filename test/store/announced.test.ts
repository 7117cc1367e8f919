import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Ticker } from '../../src/domain/ids.ts';
import {
  briefsIn,
  currentBriefsIn,
  noteAnnounced,
  saveBrief,
  setCurrentBrief,
} from '../../src/store/publish/briefs.ts';
import { openWorld, type World } from '../world.ts';

const AAPL = 'AAPL' as Ticker;
const AT = '2018-11-30T12:00:00.000Z';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());
beforeEach(async () => {
  await currentBriefsIn(world.mongo.db).deleteMany({});
});

/** True when the API processes have to hear of it. */
const set = async (briefId: string, version: number, corpus = 1): Promise<boolean> =>
  (await show(briefId, version, corpus)).isNews;
const show = (briefId: string, version: number, corpus: number) =>
  setCurrentBrief(world.mongo.db, {
    ...{ _id: AAPL, briefId, version, corpus, algorithm: 'a', at: AT, managersObserved: 1 },
  });
const announce = (briefId: string) => noteAnnounced(world.mongo.db, AAPL, briefId);
const current = () => currentBriefsIn(world.mongo.db).findOne({ _id: AAPL });

test('a brief whose id did not change is announced to nobody, and counts as built', async () => {
  expect(await set('one', 1)).toBe(true);
  await announce('one');
  // By the same job again, in another worker, after a restart.
  expect([await set('one', 1), await set('one', 2)]).toEqual([false, false]);
  expect(await current()).toMatchObject({ briefId: 'one', version: 2 });
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

test('a brief of an older publication, or of older filings, replaces none', async () => {
  expect(await show('one', 2, 2)).toMatchObject({ isShown: true });
  expect(await show('other', 3, 1)).toMatchObject({ isShown: false, isNews: false });
  expect(await show('other', 1, 3)).toMatchObject({ isShown: false, isNews: false });
  expect(await current()).toMatchObject({ briefId: 'one', version: 2, corpus: 2 });
});

test('a stored brief expires 30 days after its ticker showed it last, and never before', async () => {
  const { db } = world.mongo;
  const expiryOf = async (_id: string) => (await briefsIn(db).findOne({ _id }))?.expiresAt?.toISOString();
  const later = '2018-12-30T12:00:00.000Z';
  for (const _id of ['one', 'other']) {
    const brief = { _id, ticker: AAPL, body: Buffer.from('{}'), evidence: [], generatedAt: AT };
    await saveBrief(db, brief);
  }
  expect(await expiryOf('one')).toBe(later);
  await show('one', 1, 1);
  expect(await expiryOf('one')).toBeUndefined();
  await show('other', 2, 1);
  expect([await expiryOf('one'), await expiryOf('other')]).toEqual([later, undefined]);
  await show('one', 3, 1);
  expect([await expiryOf('one'), await expiryOf('other')]).toEqual([undefined, later]);
});
