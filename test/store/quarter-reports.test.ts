import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { withdrawReport } from '../../src/derive/report/compare-reports.ts';
import { diffReports } from '../../src/domain/change/diff.ts';
import { sampleFiling, sampleRows } from '../../src/domain/filing/filing.sample.ts';
import type { Cik, QuarterEnd } from '../../src/domain/ids.ts';
import { foldReport } from '../../src/domain/report/fold.ts';
import { quarterReports } from '../../src/store/report/quarter-reports.ts';
import { reportsIn } from '../../src/store/report/reports.ts';
import { opened } from '../opened.ts';
import { saveReport } from '../save-report.ts';
import { openWorld } from '../world.ts';

const QUARTER = '2024-06-30' as QuarterEnd;

const world = opened(openWorld);
let client: MongoClient;
/** Reads of a whole quarter. */
let reads = 0;

beforeAll(async () => {
  client = new MongoClient(world.config.mongoUrl ?? '', { useBigInt64: true, monitorCommands: true });
  await client.connect();
  client.on('commandStarted', ({ command }) => {
    const { aggregate } = command as { aggregate?: string };
    if (aggregate === 'reports') reads += 1;
  });
});
afterAll(async () => {
  await client.close();
});

/** Equity rows of a manager, shown as the diff job shows them. */
async function show(number: number, { version = 1, rows = 3, quarterEnd = QUARTER } = {}) {
  const cik = String(number).padStart(10, '0') as Cik;
  const filing = sampleFiling({ cik, quarterEnd, filedDate: '2024-08-14', rows: sampleRows(rows, number) });
  const report = foldReport([filing]);
  if (report === null) throw new Error('no report');
  await saveReport(world.mongo.db, diffReports(report, null), version);
}

it('the list of a quarter is kept until one of its reports is saved or withdrawn, and is then as stored', async () => {
  const db = client.db(world.mongo.db.databaseName);
  const listed = async () => {
    const before = reads;
    const reports = await quarterReports(db, QUARTER);
    return { ciks: reports.map(({ cik }) => Number(cik)), reports, reads: reads - before };
  };
  await show(2);
  await show(1);
  expect(await listed()).toMatchObject({ ciks: [1, 2], reads: 1 });
  expect(await listed()).toMatchObject({ ciks: [1, 2], reads: 0 });
  await show(1, { quarterEnd: '2024-03-31' as QuarterEnd });
  expect(await listed()).toMatchObject({ reads: 0 });
  await show(2, { version: 2, rows: 4 });
  expect((await listed()).reports[1]).toMatchObject({ version: 2, holdingsCount: 4, state: 'holdings' });
  // Equal rows of a later version.
  await show(2, { version: 3, rows: 4 });
  expect((await listed()).reports[1]?.version).toBe(3);
  await withdrawReport(world.mongo.db, { cik: '0000000001' as Cik, quarterEnd: QUARTER }, 9);
  expect(await listed()).toMatchObject({ ciks: [2], reads: 1 });
});

it('a listed report says what its document says, with all its reasons', async () => {
  const { db } = world.mongo;
  const reasons = ['value_unit_unverified', 'shares_equal_value'] as const;
  await reportsIn(db).updateOne(
    { _id: `0000000002|${QUARTER}` },
    { $set: { reasons: [...reasons], state: 'incomparable' } },
  );
  await show(3);
  const stored = (await reportsIn(db).find({ quarterEnd: QUARTER }).sort({ cik: 1 }).toArray()).map(
    ({ cik, state, digest, filed, reasons: own, version, pageCount, holdingsCount }) => ({
      ...{ cik, state, digest, filedDigest: filed.digest, reasons: own },
      ...{ version, pageCount, holdingsCount },
    }),
  );
  const listed = await quarterReports(db, QUARTER);
  expect(listed.map(textOf)).toEqual(stored.map(textOf));
  expect(listed[0]).toMatchObject({ reasons, state: 'incomparable' });
});

/** The engines give back small numbers as number or bigint. */
function textOf(report: object): Record<string, string> {
  return Object.fromEntries(Object.entries(report).map(([name, value]) => [name, String(value)]));
}
