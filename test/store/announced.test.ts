import { beforeEach, expect, test } from 'vitest';
import type { Ticker } from '../../src/domain/ids.ts';
import { currentBriefsIn, noteAnnounced, setCurrentBrief } from '../../src/store/publish/current-briefs.ts';
import { opened } from '../opened.ts';
import { openWorld } from '../world.ts';

const AAPL = 'AAPL' as Ticker;
const AT = '2018-11-30T12:00:00.000Z';

const world = opened(openWorld);
beforeEach(async () => {
  await currentBriefsIn(world.mongo.db).deleteMany({});
});

/** True when the API processes have to hear of it. */
const set = async (briefId: string, version: number, corpus = 1): Promise<boolean> =>
  (await show(briefId, version, corpus)).isNews;
const show = (briefId: string, version: number, corpus: number) =>
  setCurrentBrief(world.mongo.db, {
    ...{ _id: AAPL, briefId, version, corpus, algorithm: 'a', at: AT, managersObserved: 1, lane: 'backfill' },
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

test('the brief of an older algorithm replaces none, and a later one replaces it (rule 13.7)', async () => {
  const build = (briefId: string, algorithm: string) =>
    setCurrentBrief(world.mongo.db, {
      ...{
        _id: AAPL,
        briefId,
        version: 1,
        corpus: 1,
        algorithm,
        at: AT,
        managersObserved: 1,
        lane: 'backfill',
      },
    });
  for (const step of [9, 10]) {
    expect(await build(`by-${step}`, `capital_change.${step}`)).toMatchObject({ isShown: true });
  }
  expect(await build('by-9-again', 'capital_change.9')).toMatchObject({ isShown: false, isNews: false });
  expect(await current()).toMatchObject({ briefId: 'by-10' });
  expect(await build('by-10-again', 'capital_change.10')).toMatchObject({ isShown: true });
});
