// @module-tag long
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ThirteenF } from '../../src/domain/filing/filing.ts';
import type { Cusip, QuarterEnd, Ticker } from '../../src/domain/ids.ts';
import { parseFiling } from '../../src/forms/index.ts';
import { readHolders } from '../../src/read/holders/holders.ts';
import { requireCorpus } from '../../src/read/holders/resolution.ts';
import { invalidationsIn } from '../../src/store/invalidation/invalidation.ts';
import { currentBriefsIn } from '../../src/store/publish/current-briefs.ts';
import { tidemark } from '../cli/tidemark.ts';
import { type Flow, openFlow, openStages } from '../flow/flow.ts';
import { type Folder, openFolder } from '../flow/folder.ts';
import { type Shown, shownIn } from '../flow/shown.ts';
import { ingestInOrder, settleFlow, settleReports } from '../flow/stages.ts';
import { accessionOf, addSynthetic, type SyntheticReport, type SyntheticRow } from '../flow/synthetic.ts';
import { writeDataSet } from './data-set-folder.ts';

const AS_OF = '2018-11-30';
const STILL_THERE = [1, 2, 3, 4, 5, 6, 7, 8];
/** It filed nothing but a report of 2014. */
const STOPPED = 9;
/** It filed a report of 2013, which is stored, and one of 2014. */
const STOPPED_LATER = 10;
/** Stood behind nothing that stopped managers held. */
const UNTOUCHED = ['AAPL', 'GM'];
const TOUCHED = ['FB', 'JPM', 'TSLA'];
const GM = '37045V100' as Cusip;

const NAMES = {
  AAPL: ['APPLE INC', '037833100'],
  GM: ['GENERAL MTRS CO', GM],
  JPM: ['JPMORGAN CHASE & CO', '46625H100'],
  FB: ['FACEBOOK INC', '30303M102'],
  TSLA: ['TESLA INC', '88160R101'],
} as const;

/** Each of one value: twice the shares at half the price are what a split looks like. */
function row(ticker: keyof typeof NAMES, shares: number): SyntheticRow {
  const [issuer, cusip] = NAMES[ticker];
  return { issuer, cusip, shares, value: 50_000 };
}

type Period = readonly [quarterEnd: string, filed: string];
const STORED: Period = ['2013-12-31', '2014-02-14'];
const OLD: Period = ['2014-03-31', '2014-05-15'];
const NEXT: Period = ['2014-06-30', '2014-08-14'];
const PRIOR: Period = ['2018-06-30', '2018-08-14'];
const LATEST: Period = ['2018-09-30', '2018-11-14'];

const report = (manager: number, [quarterEnd, filed]: Period, rows: SyntheticRow[]): SyntheticReport => ({
  ...{ manager, quarterEnd, filed, rows },
});

/** In the second quarter of 2014 each has twice the shares of GM: a split, as all filers say. */
const ofAll = (period: Period, gm: number): SyntheticReport[] =>
  STILL_THERE.map((manager) =>
    report(manager, period, [
      row('AAPL', manager * 10_000 + Number(period[0].slice(2, 4)) * 100),
      row('GM', manager * 20_000 * gm),
    ]),
  );

const DOCUMENTS = [
  report(STOPPED_LATER, STORED, [row('FB', 30_000)]),
  ...ofAll(LATEST, 2).map(({ rows, ...one }) => ({
    ...one,
    rows: [...rows, row('JPM', one.manager * 9_000)],
  })),
  report(11, LATEST, [row('FB', 50_000), row('TSLA', 60_000)]),
];
const SETS = {
  old: [
    ...ofAll(OLD, 1),
    report(STOPPED, OLD, [row('JPM', 70_000)]),
    report(STOPPED_LATER, OLD, [row('TSLA', 80_000)]),
  ],
  next: ofAll(NEXT, 2),
  prior: ofAll(PRIOR, 3),
};

let folder: Folder;
let imports: Folder;
let flow: Flow;

beforeAll(async () => {
  folder = await openFolder({ accessions: [], symbols: Object.keys(NAMES) });
  await addSynthetic(folder, DOCUMENTS);
  imports = await openFolder({ accessions: [], symbols: [] });
  for (const [name, reports] of Object.entries(SETS)) {
    await addSynthetic(imports, reports);
    const filings = await Promise.all(
      reports.map(async (one) => parseFiling(await readFile(join(imports.dir, `${accessionOf(one)}.txt`)))),
    );
    await writeDataSet(
      dataSet(name),
      filings.filter((filing): filing is ThirteenF => filing.kind === 'thirteen_f'),
    );
  }
  flow = await openFlow(folder, AS_OF);
  await ingestDocuments(flow);
  await shownIn(flow.db);
  // What readers asked for is built by workers from now on.
  await settleFlow(flow);
}, 300_000);

afterAll(async () => {
  await flow?.close();
  for (const one of [folder, imports]) await one?.close();
});

const dataSet = (name: string): string => join(imports.dir, `${name}_form13f`);

const ingestDocuments = (into: Flow): Promise<void> =>
  ingestInOrder(into, { accessions: DOCUMENTS.map(accessionOf), reference: 'first', settleEvery: 100 });

async function imported(into: Flow, name: keyof typeof SETS): Promise<void> {
  const { code } = await tidemark(into.world, 'backfill', '13f', '--file', dataSet(name));
  expect(code).toBe(0);
}

/** What says whether the briefs were marked or built: versions of invalidations, and what is shown. */
async function marksOf(tickers: readonly string[]) {
  const ids = tickers.map((ticker) => `brief|${ticker}`);
  const fields = { version: 1, unmoved: 1, pending: 1, at: 1 };
  const marks = await invalidationsIn(flow.db)
    .find({ _id: { $in: ids } }, { projection: fields })
    .sort({ _id: 1 })
    .toArray();
  const shown = await currentBriefsIn(flow.db)
    .find({ _id: { $in: tickers as Ticker[] } })
    .sort({ _id: 1 })
    .toArray();
  expect([marks.length, shown.length]).toEqual([tickers.length, tickers.length]);
  return { marks, shown };
}

/** Holders of GM in a quarter, as this process keeps them. */
async function holdersOf([quarterEnd]: Period): Promise<number> {
  const publication = await requireCorpus(flow.db);
  const of = { ticker: 'GM' as Ticker, cusip: GM, publication, quarterEnd: quarterEnd as QuarterEnd };
  return (await readHolders(flow.db, of)).rows.length;
}

/** All that changes of reports lead to, but for what is published and built then. */
async function settledReports(): Promise<void> {
  const { context, close } = await openStages(flow);
  await settleReports(context, (job, payload) => job(context, payload));
  await close();
}

/** Builds each brief from nothing on the way, and compares it with the one shown (rule 13.9). */
async function settledBriefs(): Promise<Shown['briefs']> {
  await settleFlow(flow);
  return (await shownIn(flow.db)).briefs;
}

test('an imported old quarter builds and marks no brief but those of managers that stopped with it', async () => {
  const { briefs } = await shownIn(flow.db);
  const before = await marksOf(UNTOUCHED);
  const touched = await marksOf(TOUCHED);
  expect(await holdersOf(OLD)).toBe(0);
  await imported(flow, 'old');
  await settledReports();
  expect(await marksOf(UNTOUCHED)).toEqual(before);
  expect((await marksOf(TOUCHED)).marks.map(({ pending }) => pending)).toEqual(TOUCHED.map(() => true));
  const after = await settledBriefs();
  // They say of one holder more, or less, that it reported last in another quarter.
  for (const [at, ticker] of TOUCHED.entries()) {
    expect(after[ticker]).not.toBe(briefs[ticker]);
    expect(touched.shown[at]?.briefId).toBe(briefs[ticker]);
  }
  for (const ticker of UNTOUCHED) expect(after[ticker]).toBe(briefs[ticker]);
  expect(await holdersOf(OLD)).toBe(STILL_THERE.length);
});

test('nor do the corporate actions and verdicts that an imported old quarter proves', async () => {
  const { briefs } = await shownIn(flow.db);
  const before = await marksOf([...UNTOUCHED, ...TOUCHED]);
  expect(await holdersOf(NEXT)).toBe(0);
  await imported(flow, 'next');
  await settledReports();
  expect(await marksOf([...UNTOUCHED, ...TOUCHED])).toEqual(before);
  expect(await settledBriefs()).toEqual(briefs);
  const { peers, reports } = await shownIn(flow.db);
  expect(peers[NEXT[0]]?.corporateActions).toMatchObject([{ kind: 'split_suspected', cusip: GM }]);
  expect(Object.keys(reports).filter((id) => id.endsWith(NEXT[0]))).toHaveLength(STILL_THERE.length);
  expect(await holdersOf(NEXT)).toBe(STILL_THERE.length);
});

test('an imported quarter before the latest changes the briefs, as a build from nothing would', async () => {
  const { briefs } = await shownIn(flow.db);
  const untouched = await marksOf(UNTOUCHED);
  await imported(flow, 'prior');
  const after = await settledBriefs();
  for (const ticker of UNTOUCHED) expect(after[ticker]).not.toBe(briefs[ticker]);
  expect((await marksOf(UNTOUCHED)).marks).not.toEqual(untouched.marks);
});

test('quarters imported in another order, and before the documents, give the same in the end', async () => {
  const other = await openFlow(folder, AS_OF);
  try {
    await imported(other, 'next');
    await ingestDocuments(other);
    await shownIn(other.db);
    await imported(other, 'prior');
    await settleFlow(other);
    await shownIn(other.db);
    await imported(other, 'old');
    await settleFlow(other);
    expect(await shownIn(other.db)).toEqual(await shownIn(flow.db));
  } finally {
    await other.close();
  }
}, 300_000);
