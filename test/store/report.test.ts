import { afterEach, expect, it } from 'vitest';
import { refreshFunds } from '../../src/derive/report/fund-writer.ts';
import { noteFollowersInvalidated } from '../../src/derive/report/report-followers.ts';
import { diffReports } from '../../src/domain/change/diff.ts';
import { BEFORE, NOW } from '../../src/domain/change/report.sample.ts';
import {
  APPLE,
  GOOGL,
  type SampleFiling,
  SPY,
  sampleFiling,
  sampleRow,
} from '../../src/domain/filing/filing.sample.ts';
import type { ThirteenF } from '../../src/domain/filing/filing.ts';
import type { CorpusState } from '../../src/domain/filing/index-coverage.ts';
import type { Cik, Cusip, QuarterEnd } from '../../src/domain/ids.ts';
import { foldReport } from '../../src/domain/report/fold.ts';
import { observationsOf } from '../../src/read/holders/observations.ts';
import { findFund, fundsIn } from '../../src/store/report/funds.ts';
import { cusipsOfPages, pagesOf, previousPagesOf, readHoldings } from '../../src/store/report/holdings.ts';
import { findReport, type ReportDoc } from '../../src/store/report/reports.ts';
import { opened } from '../opened.ts';
import { saveReport } from '../save-report.ts';
import { openWorld } from '../world.ts';

const world = opened(openWorld);
afterEach(async () => {
  for (const name of ['reports', 'holdings', 'positions', 'funds', 'invalidations']) {
    await world.mongo.db.collection(name).deleteMany({});
  }
});

const KEY = { cik: '0000000001' as Cik, quarterEnd: NOW };
const CORPUS: CorpusState = {
  corpus: 'test',
  sourceComplete: true,
  latestReportedQuarterEnd: NOW,
  filingWindow: 'closed',
  coverageStart: null,
  indexedThrough: null,
  quarantined: { thirteenF: 0, form4: 0 },
};

const rowsOf = (...cusips: Cusip[]) => cusips.map((cusip, n) => sampleRow({ row: n + 1, cusip }));
const original = (fields: SampleFiling): ThirteenF =>
  sampleFiling({ accession: '0000000001-24-000020', filedDate: '2024-08-14', quarterEnd: NOW, ...fields });

/** Folds the filings and shows them under a version, as the diff job does. */
async function show(version: number, ...filings: ThirteenF[]): Promise<ReportDoc> {
  const report = foldReport(filings);
  if (report === null) throw new Error('no report');
  await saveReport(world.mongo.db, diffReports(report, null), version);
  await refreshFunds(world.mongo.db, [report.cik]);
  const shown = await findReport(world.mongo.db, report);
  if (shown === null) throw new Error('no report is shown');
  return shown;
}

it('an older version never replaces a newer one, nor its rows by security', async () => {
  const { db } = world.mongo;
  await show(7, original({ rows: rowsOf(APPLE, GOOGL) }));
  const shown = await show(5, original({ rows: rowsOf(SPY) }));
  expect(Number(shown.version)).toBe(7);
  expect((await cusipsOfPages(db, pagesOf(shown))).sort()).toEqual([GOOGL, APPLE].sort());
  expect((await observationsOf(db, SPY, { state: CORPUS })).counted).toEqual([]);
  expect((await observationsOf(db, APPLE, { state: CORPUS })).counted).toHaveLength(1);
});

it('a version whose followers were not marked is kept until they are, however many follow it', async () => {
  const { db } = world.mongo;
  await noteFollowersInvalidated(db, [await show(1, original({ rows: rowsOf(APPLE, GOOGL) }))]);
  await show(2, original({ rows: rowsOf(GOOGL) }));
  // Here the job died: APPLE still shows the position.
  const third = await show(3, original({ rows: rowsOf(SPY) }));
  const seen = new Set(await cusipsOfPages(db, [...pagesOf(third), ...previousPagesOf(third)]));
  expect([...seen].sort()).toEqual([SPY, GOOGL, APPLE].sort());
  await noteFollowersInvalidated(db, [third]);
  const fourth = await show(4, original({ rows: rowsOf(SPY, GOOGL) }));
  expect(fourth.previous.map((version) => version.digest)).toEqual([third.digest]);
  expect(await db.collection('holdings').countDocuments()).toBe(2);
});

it('showing the same content again changes neither its version nor what is kept', async () => {
  const first = await show(1, original({ rows: rowsOf(APPLE) }));
  const again = await show(2, original({ rows: rowsOf(APPLE) }));
  expect(again.digest).toBe(first.digest);
  expect(again.previous).toEqual([]);
});

it('a late supplement dates its own rows and leaves the date of all others alone', async () => {
  const { db } = world.mongo;
  const supplement = sampleFiling({
    accession: '0000000001-24-000030',
    filedDate: '2024-10-01',
    quarterEnd: NOW,
    amendmentType: 'new_holdings',
    amendmentNumber: 1,
    rows: rowsOf(GOOGL),
  });
  await show(1, original({ rows: rowsOf(APPLE, SPY) }), supplement);
  const of = async (cusip: Cusip) => (await observationsOf(db, cusip, { state: CORPUS })).counted[0];
  expect(await of(APPLE)).toMatchObject({
    publishedAt: { value: '2024-08-14', precision: 'day' },
    amendment: { isAmendment: false, amendmentType: null },
  });
  expect(await of(GOOGL)).toMatchObject({
    publishedAt: { value: '2024-10-01', precision: 'day' },
    amendment: { isAmendment: true, amendmentType: 'new_holdings' },
  });
});

it('slugs are the same in whatever order managers of one name report and are renamed', async () => {
  const filing = (cik: string, managerName: string, quarterEnd: QuarterEnd, accession: string) =>
    sampleFiling({ cik: cik as Cik, managerName, quarterEnd, accession, rows: rowsOf(APPLE) });
  const first = filing('0000000001', 'Foo', BEFORE, '0000000001-24-000001');
  const second = filing('0000000002', 'Foo', BEFORE, '0000000002-24-000001');
  const renamed = filing('0000000001', 'Bar', NOW, '0000000001-24-000002');
  for (const order of [
    [first, second, renamed],
    [second, first, renamed],
    [first, renamed, second],
  ]) {
    await world.mongo.db.collection('reports').deleteMany({});
    await fundsIn(world.mongo.db).deleteMany({});
    for (const one of order) await show(1, one);
    const funds = await fundsIn(world.mongo.db).find().sort({ _id: 1 }).toArray();
    expect(funds.map((fund) => fund.slug)).toEqual(['bar', 'foo']);
  }
});

it('values that do not fit 64 bits are refused instead of wrapped', async () => {
  const huge = original({ rows: [sampleRow({ value: -(10n ** 23n) })] });
  await expect(show(1, huge)).rejects.toMatchObject({ code: 'value_out_of_range', retry: false });
  expect(await findReport(world.mongo.db, KEY)).toBeNull();
});

it('a value that is in no total has no weight in it (rule 2.10)', async () => {
  const rows = [
    sampleRow({ row: 1, cusip: APPLE, value: 1_000n }),
    sampleRow({ row: 2, cusip: GOOGL, value: 500_000n }),
  ];
  const report = foldReport([original({ rows })], { outliers: new Set([GOOGL]) });
  if (report === null) throw new Error('no report');
  await saveReport(world.mongo.db, diffReports(report, null), 1);
  const shown = await findReport(world.mongo.db, KEY);
  if (shown === null) throw new Error('no report is shown');
  const held = await readHoldings(world.mongo.db, shown, { from: 0, count: 10 });
  expect(held.map(({ cusip, weight_pct }) => [cusip, weight_pct])).toEqual([
    [GOOGL, 0],
    [APPLE, 100],
  ]);
});

it('an addition in doubtful scale does not reduce the weight of clear rows; its own rows carry the doubt (rule 2.10)', async () => {
  const base = original({ rows: [APPLE, GOOGL].map((cusip) => sampleRow({ cusip, value: 1_000n })) });
  const addition = original({
    accession: '0000000001-24-000029',
    amendmentType: 'new_holdings',
    rows: [APPLE, SPY].map((cusip) => sampleRow({ cusip, amount: 7n, value: 500_000n })),
  });
  const doubt = { scaleCents: 100n, reasons: ['value_unit_unverified'] as const };
  const report = foldReport([base, addition], { scales: new Map([[addition.header.accession, doubt]]) });
  if (report === null) throw new Error('no report');
  await saveReport(world.mongo.db, diffReports(report, null), 1);
  const shown = await findReport(world.mongo.db, KEY);
  if (shown === null) throw new Error('no report is shown');
  expect(shown).toMatchObject({ aumCents: 100_200_000n, weighedCents: 200_000n });
  await refreshFunds(world.mongo.db, [shown.cik]);
  expect(await findFund(world.mongo.db, shown.cik)).toMatchObject({ aumCents: 200_000n });
  const held = await readHoldings(world.mongo.db, shown, { from: 0, count: 10 });
  expect(held.map(({ cusip, weight_pct, quality }) => [cusip, weight_pct, quality.reasons])).toEqual([
    [APPLE, 50, expect.arrayContaining(['value_unit_unverified'])],
    [SPY, 49.9002, expect.arrayContaining(['value_unit_unverified'])],
    [GOOGL, 50, expect.not.arrayContaining(['value_unit_unverified'])],
  ]);
});
