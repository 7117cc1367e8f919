import { beforeAll, expect, it } from 'vitest';
import { refreshPeers } from '../../src/derive/peers/writer.ts';
import { diffReports } from '../../src/domain/change/diff.ts';
import { sampleFiling, sampleRow } from '../../src/domain/filing/filing.sample.ts';
import { type Cik, type Cusip, type IsoDate, issuerOf, type QuarterEnd } from '../../src/domain/ids.ts';
import { foldReport } from '../../src/domain/report/fold.ts';
import { publishAsOf } from '../../src/store/filing/settings.ts';
import { pricesOf } from '../../src/store/peers/quarter-prices.ts';
import { opened } from '../opened.ts';
import { saveReport } from '../save-report.ts';
import { openWorld } from '../world.ts';

const QUARTER = '2024-06-30' as QuarterEnd;
const COMMON = Array.from({ length: 6 }, (_, at) => `A0000000${at}` as Cusip);
const MICRO_CAP = 'B00000000' as Cusip;

const world = opened(openWorld);
beforeAll(async () => {
  await publishAsOf(world.mongo.db, '2024-11-30' as IsoDate);
});

/** A thousand shares for each number of the manager, at 20 dollars. */
async function show(number: number, cusips: readonly Cusip[], scale = 1n): Promise<void> {
  const cik = String(number).padStart(10, '0') as Cik;
  const amount = 1_000n * BigInt(number);
  const rows = cusips.map((cusip, at) =>
    sampleRow({ row: at + 1, cusip, issuer: cusip, amount, value: (amount * 20n) / scale }),
  );
  const accession = `${cik}-24-000001`;
  const filing = sampleFiling({ cik, accession, quarterEnd: QUARTER, filedDate: '2024-08-14', rows });
  const report = foldReport([filing]);
  if (report === null) throw new Error('no report');
  await saveReport(world.mongo.db, diffReports(report, null), 1);
}

it('a price from filers in the wrong scale is corrected to the decided scale (rule 4.3)', async () => {
  const { db } = world.mongo;
  for (const number of [1, 2, 3]) await show(number, [...COMMON, MICRO_CAP], 1_000n);
  await show(4, [...COMMON, MICRO_CAP]);
  for (const number of [5, 6, 7, 8]) await show(number, COMMON);
  expect((await refreshPeers(db, QUARTER, { version: 1, at: '' })).kind).toBe('written');
  const prices = (await pricesOf(db, [QUARTER], [issuerOf(MICRO_CAP)])).get(QUARTER);
  const { valueCents = 0n, shares = 1n } = prices?.get(MICRO_CAP) ?? {};
  expect(valueCents).toBe(shares * 2_000n);
});
