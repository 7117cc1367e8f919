import { afterEach, expect, test } from 'vitest';
import type { Changed } from '../../src/derive/peers/changes.ts';
import { invalidatePeersFollowers } from '../../src/derive/peers/peers-followers.ts';
import { invalidateReportFollowers } from '../../src/derive/report/report-followers.ts';
import { APPLE } from '../../src/domain/filing/filing.sample.ts';
import type { InfoTableRow } from '../../src/domain/filing/filing.ts';
import { currentHolders, observationsOf } from '../../src/read/holders/observations.ts';
import { reportId } from '../../src/store/filing/filings.ts';
import { peerVerdictsIn } from '../../src/store/peers/corporate-actions.ts';
import { heldAmong } from '../../src/store/report/holdings.ts';
import { options, positions } from '../../src/store/report/positions.ts';
import { findReport } from '../../src/store/report/reports.ts';
import { apple, cik, google, LATEST, PRIOR, publish, STATE, seedSymbols, show } from '../api/stock-corpus.ts';
import { opened } from '../opened.ts';
import { openWorld } from '../world.ts';
import { peersDoc } from './peers-doc.ts';

const world = opened(openWorld);
afterEach(async () => {
  const derived = [
    'reports',
    'holdings',
    'positions',
    'options',
    'funds',
    'last_held',
    'peers',
    'filed_reports',
  ];
  for (const name of [...derived, 'invalidations', 'securities']) {
    await world.mongo.db.collection(name).deleteMany({});
  }
});

const put = (amount: bigint): InfoTableRow => apple(amount, amount / 5n, { row: 2, putCall: 'PUT' });
const call = (amount: bigint): InfoTableRow => apple(amount, amount / 5n, { row: 3, putCall: 'CALL' });
const shares = (amount: bigint): InfoTableRow => apple(amount, amount / 5n);
const sumsOf = async (state = STATE) =>
  (await observationsOf(world.mongo.db, APPLE, { state })).options
    .map(({ cik: own, putCall, previousShares, currentShares }) =>
      [Number(own), putCall, previousShares, currentShares].join(' '),
    )
    .sort();

test('a manager with options alone is told in the brief, and holds no share (rule 7.8)', async () => {
  const { db } = world.mongo;
  await seedSymbols(db);
  await publish(db);
  await show(db, 1, { [PRIOR]: [shares(900n), call(400n)], [LATEST]: [shares(1_000n)] });
  await show(db, 2, { [PRIOR]: [put(1_000_000n)], [LATEST]: [google(), put(5_000_000n)] });
  expect(await sumsOf()).toEqual(['1 CALL 400 0', '2 PUT 1000000 5000000']);
  const { holders } = await currentHolders(db, APPLE, { state: STATE });
  expect(holders.map((holder) => holder.cik)).toEqual([cik(1)]);
  expect((await positions.ofSecurity(db, APPLE, LATEST)).map((one) => one.cik)).toEqual([cik(1)]);
});

test('options of a manager that is late count like its shares, until it reports', async () => {
  const { db } = world.mongo;
  const open = { ...STATE, filingWindow: 'open' as const };
  await show(db, 1, { [LATEST]: [google()] });
  await show(db, 2, { [PRIOR]: [put(100n)] });
  expect(await sumsOf(open)).toEqual(['2 PUT 0 100']);
  expect(await sumsOf()).toEqual([]);
  await show(db, 2, { [PRIOR]: [put(100n)], [LATEST]: [google()] });
  expect(await sumsOf(open)).toEqual(['2 PUT 100 0']);
});

test('late options are counted in the shares of the latest quarter', async () => {
  const { db } = world.mongo;
  const factor = { numerator: 4n, denominator: 1n };
  const split = { kind: 'split', cusip: APPLE, factor, votes: 9, compared: 9 } as const;
  await show(db, 1, { [LATEST]: [google()] });
  await show(db, 2, { [PRIOR]: [put(100n)] });
  await peerVerdictsIn(db).insertOne(peersDoc(LATEST, [split]));
  expect(await sumsOf({ ...STATE, filingWindow: 'open' })).toEqual(['2 PUT 0 400']);
});

test('what a report lists as options, and listed before, invalidates the brief of the stock', async () => {
  const { db } = world.mongo;
  await seedSymbols(db);
  const tickersAfter = async (rows: InfoTableRow[]) => {
    await show(db, 2, { [LATEST]: rows });
    const report = await findReport(db, { cik: cik(2), quarterEnd: LATEST });
    const key = { cik: cik(2), quarterEnd: LATEST };
    return (await invalidateReportFollowers(db, [{ key, report, before: null }])).tickers;
  };
  expect(await tickersAfter([google(), put(100n)])).toContain('AAPL');
  expect(await tickersAfter([google(2_000n)])).toContain('AAPL');
  expect(await heldAmong(db, [APPLE])).toEqual([APPLE]);
  // Rows of a digest that is no longer kept are removed.
  await tickersAfter([google(3_000n)]);
  expect(await tickersAfter([google(4_000n)])).not.toContain('AAPL');
  expect(await options.collection(db).countDocuments()).toBe(0);
});

test('a split has a report with options alone compared again', async () => {
  const { db } = world.mongo;
  await show(db, 2, { [PRIOR]: [put(100n)], [LATEST]: [put(400n)] });
  const changed: Changed = { ciks: [], cusips: [APPLE], moved: [[APPLE, 'holders']] };
  const { reports } = await invalidatePeersFollowers(db, LATEST, changed);
  expect(reports).toEqual([reportId({ cik: cik(2), quarterEnd: LATEST })]);
});
