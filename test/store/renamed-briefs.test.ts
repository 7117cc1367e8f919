import { afterEach, beforeAll, expect, test } from 'vitest';
import { tickersOf } from '../../src/api/endpoints/holdings.ts';
import { invalidatePeersFollowers } from '../../src/derive/peers/peers-followers.ts';
import { invalidateReportFollowers } from '../../src/derive/report/report-followers.ts';
import { invalidateSearchOfSymbols } from '../../src/derive/search/invalidate-search.ts';
import { APPLE, GOOGL, SPY, sampleRow } from '../../src/domain/filing/filing.sample.ts';
import type { Cusip, IsoDate, QuarterEnd, Ticker } from '../../src/domain/ids.ts';
import type { CusipChange } from '../../src/domain/peers/verdict.ts';
import { holdingEntry } from '../../src/domain/search/entry.sample.ts';
import { fails } from '../../src/domain/security/mapping.sample.ts';
import { tickersThroughChanges } from '../../src/read/holders/security-history.ts';
import { knownKeys } from '../../src/store/invalidation/invalidation.ts';
import { ensureIndexes } from '../../src/store/mongo/indexes.ts';
import { peerVerdictsIn } from '../../src/store/peers/corporate-actions.ts';
import { partOfSecurity, publishPart } from '../../src/store/publish/search-index.ts';
import { findReport } from '../../src/store/report/reports.ts';
import { saveMappings } from '../../src/store/security/securities.ts';
import { cik, EARLIER, LATEST, PRIOR, publish, show } from '../api/stock-corpus.ts';
import { opened } from '../opened.ts';
import { openWorld } from '../world.ts';
import { peersDoc } from './peers-doc.ts';

const world = opened(openWorld);
beforeAll(async () => {
  await ensureIndexes(world.mongo.db);
  await publish(world.mongo.db);
});
afterEach(async () => {
  for (const name of ['reports', 'holdings', 'positions', 'funds', 'peers', 'securities', 'invalidations']) {
    await world.mongo.db.collection(name).deleteMany({});
  }
});

const [FIRST, SECOND, THIRD] = [SPY, GOOGL, APPLE];
const OTHER = '46625H100' as Cusip;
const AS_OF = '2018-11-30' as IsoDate;

async function rename(quarterEnd: QuarterEnd, from: Cusip, cusip: Cusip): Promise<void> {
  const factor = { numerator: 1n, denominator: 1n };
  const change: CusipChange = { kind: 'cusip_change', cusip, from, factor, votes: 5, compared: 6 };
  await peerVerdictsIn(world.mongo.db).insertOne(
    peersDoc(quarterEnd, [change], `${quarterEnd} ${from} ${cusip}`),
  );
}

/** FIRST was SECOND by the quarter before, and THIRD by the latest one. The sources know one of them. */
async function knownAs(cusip: Cusip): Promise<void> {
  await rename(PRIOR, FIRST, SECOND);
  await rename(LATEST, SECOND, THIRD);
  const mapping = fails('ONE', cusip, { on: '2018-11-15', name: 'ONE AND THE SAME INC' });
  await saveMappings(world.mongo.db, [mapping]);
}

async function invalidatedByReport(quarterEnd: QuarterEnd, cusip: Cusip): Promise<readonly Ticker[]> {
  const { db } = world.mongo;
  await show(db, 1, { [quarterEnd]: [sampleRow({ cusip })] });
  const key = { cik: cik(1), quarterEnd };
  const report = await findReport(db, key);
  return (await invalidateReportFollowers(db, [{ key, report, before: null }])).tickers;
}

test('a report under the newest CUSIP invalidates the brief of a ticker known by the oldest (rule 7.2)', async () => {
  await knownAs(FIRST);
  expect(await invalidatedByReport(LATEST, THIRD)).toEqual(['ONE']);
});

test('a late report under the oldest CUSIP invalidates the brief of a ticker known by the newest (rule 7.2)', async () => {
  await knownAs(THIRD);
  expect(await invalidatedByReport(EARLIER, FIRST)).toEqual(['ONE']);
});

test('another vote on the newest CUSIP is shown in the brief of a ticker known by the oldest (rule 7.2)', async () => {
  await knownAs(FIRST);
  const changed = { ciks: [], cusips: [THIRD], moved: [] };
  const { tickers } = await invalidatePeersFollowers(world.mongo.db, LATEST, changed);
  expect(tickers).toEqual(['ONE']);
});

test('a holding under a CUSIP that no source names has the ticker of the security (rule 3.9)', async () => {
  await knownAs(FIRST);
  const tickers = await tickersThroughChanges(world.mongo.db, [THIRD, SECOND, FIRST, OTHER], AS_OF);
  expect(Object.fromEntries(tickers)).toEqual({ [FIRST]: 'ONE', [SECOND]: 'ONE', [THIRD]: 'ONE' });
});

test('a statement about one CUSIP publishes the tickers of all CUSIPs of the security again (rule 3.9)', async () => {
  await knownAs(FIRST);
  await invalidateSearchOfSymbols(world.mongo.db, ['ONE' as Ticker]);
  const parts = new Set([FIRST, SECOND, THIRD].map(partOfSecurity));
  expect(new Set(await knownKeys(world.mongo.db, 'search'))).toEqual(parts);
});

test('published tickers come from memory; only a CUSIP that is not published yet is resolved (rule 3.9)', async () => {
  const { db } = world.mongo;
  const shown = {
    entries: [holdingEntry('ONE', { cusip: FIRST })],
    tickers: [[SECOND, 'KEPT' as Ticker]] as const,
  };
  for (const part of new Set([FIRST, SECOND].map(partOfSecurity))) {
    await publishPart(db, part, { shown, version: 1, at: '' });
  }
  // The statements name all three otherwise, so an answer shows where it comes from.
  await knownAs(FIRST);
  const tickers = await tickersOf(db, [FIRST, SECOND, THIRD], AS_OF);
  expect(Object.fromEntries(tickers)).toEqual({ [SECOND]: 'KEPT', [THIRD]: 'ONE' });
});
