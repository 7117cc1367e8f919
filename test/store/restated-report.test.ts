import { beforeAll, beforeEach, expect, test } from 'vitest';
import { invalidateReportFollowers } from '../../src/derive/report/report-followers.ts';
import type { InfoTableRow } from '../../src/domain/filing/filing.ts';
import { invalidationsIn, listPending } from '../../src/store/invalidation/invalidation.ts';
import { ensureIndexes } from '../../src/store/mongo/indexes.ts';
import { findReport, reportsIn } from '../../src/store/report/reports.ts';
import { apple, cik, google, LATEST, PRIOR, publish, seedSymbols, show } from '../api/stock-corpus.ts';
import { opened } from '../opened.ts';
import { openWorld } from '../world.ts';

const key = { cik: cik(1), quarterEnd: LATEST };

const world = opened(openWorld);
beforeAll(async () => {
  await ensureIndexes(world.mongo.db);
  await seedSymbols(world.mongo.db);
  await publish(world.mongo.db);
  await show(world.mongo.db, 1, { [PRIOR]: [apple(10n, 1n)] });
});
beforeEach(async () => {
  await reportsIn(world.mongo.db).deleteOne({ _id: `${key.cik}|${LATEST}` });
});

/** Shows rows as the report of the latest quarter, and returns what is invalidated then. */
async function touchedBy(rows: InfoTableRow[]) {
  const { db } = world.mongo;
  const before = await findReport(db, key);
  await show(db, 1, { [LATEST]: rows });
  await invalidationsIn(db).updateMany({}, { $set: { pending: false } });
  const report = await findReport(db, key);
  const { tickers } = await invalidateReportFollowers(db, [{ key, report, before }]);
  const holders = await listPending(db, 'holders', 100);
  return { tickers, quarters: [...new Set(holders.map((doc) => doc.key.split('|')[1]))].sort() };
}

test('the first report of a quarter also touches what its manager counted by before', async () => {
  expect(await touchedBy([google()])).toEqual({ tickers: ['AAPL'], quarters: [PRIOR, LATEST] });
});

test('a restated report touches what it lists and listed, and no earlier quarter', async () => {
  await touchedBy([google()]);
  expect(await touchedBy([google(2_000n)])).toEqual({ tickers: [], quarters: [LATEST] });
  expect(await touchedBy([apple(10n, 1n), google()])).toEqual({ tickers: ['AAPL'], quarters: [LATEST] });
  // What it lists no more it showed before.
  expect(await touchedBy([google()])).toEqual({ tickers: ['AAPL'], quarters: [LATEST] });
});

test('one whose predecessor was not followed, or was of another kind, counts as the first', async () => {
  const { db } = world.mongo;
  await touchedBy([google()]);
  for (const [value, fields] of [
    [3_000n, { followersInvalidated: false }],
    [4_000n, { state: 'notice' }],
  ] as const) {
    await reportsIn(db).updateOne({ _id: `${key.cik}|${LATEST}` }, { $set: fields });
    expect(await touchedBy([google(value)])).toEqual({ tickers: ['AAPL'], quarters: [PRIOR, LATEST] });
  }
  expect((await touchedBy([google(5_000n)])).quarters).toEqual([LATEST]);
});

test('so does one under another name, of which every list is read again', async () => {
  const { db } = world.mongo;
  await touchedBy([google()]);
  await reportsIn(db).updateOne({ _id: `${key.cik}|${LATEST}` }, { $set: { managerName: 'Another' } });
  expect((await touchedBy([google(6_000n)])).quarters).toEqual([PRIOR, LATEST]);
});

test('a table that its manager lacked touches the later supplement that it counted by until then', async () => {
  const { db } = world.mongo;
  const [late, own] = [LATEST, PRIOR].map((quarterEnd) => ({ cik: cik(2), quarterEnd }));
  const followed = async (one: typeof key) =>
    invalidateReportFollowers(db, [{ key: one, report: await findReport(db, one), before: null }]);
  await show(db, 2, { [LATEST]: [apple(10n, 1n)] }, { amendmentType: 'new_holdings' });
  expect((await findReport(db, late as typeof key))?.state).toBe('incomparable');
  await followed(late as typeof key);
  await show(db, 2, { [PRIOR]: [google()] });
  expect((await followed(own as typeof key)).tickers).toEqual(['AAPL']);
});
