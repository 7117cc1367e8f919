import type { Db } from 'mongodb';
import { expect, it } from 'vitest';
import { quarterColumns } from '../../domain/columns/columns.ts';
import type { Cik, Cusip, QuarterEnd } from '../../domain/ids.ts';
import { columnsCache, QUARTER_ROWS, type SeenReport } from './columns-cache.ts';

const ROWS = 10;
const [A, B, C] = ['2023-03-31', '2023-06-30', '2023-09-30'] as [QuarterEnd, QuarterEnd, QuarterEnd];
const db = { databaseName: 'columns' } as Db;

/** What a quarter of one report counts. */
const FULL = QUARTER_ROWS + ROWS;

/** One report a quarter, of ten rows. `read` has the quarters in the order in which they were read. */
function openCache(maxRows: number, minQuarters = 1) {
  const read: QuarterEnd[] = [];
  const over = columnsCache<SeenReport, { readonly cik: Cik }, ReturnType<typeof emptyQuarter>>({
    emptyQuarter,
    read: async (_db, quarterEnd, reports) => {
      read.push(quarterEnd);
      return reports.map(([cik]) => ({ cik }));
    },
    maxRows,
    minQuarters,
  });
  const rowsOver = async (...quarters: QuarterEnd[]) => {
    const reports = new Map([['1' as Cik, { digest: 'same', rows: ROWS }]]);
    const standing = quarters.map((quarterEnd) => ({ quarterEnd, reports }));
    return over(db, standing, (columns) => columns.map((quarter) => quarter.rows()));
  };
  const overEmpty = async (quarterEnd: QuarterEnd) => {
    const computed = await over(db, [{ quarterEnd, reports: new Map() }], ([quarter]) => quarter);
    return computed.kind === 'computed' ? computed.answer : null;
  };
  return { read, rowsOver, overEmpty };
}

function emptyQuarter(names: Parameters<typeof quarterColumns>[0]) {
  const columns = quarterColumns(names);
  const row = { issuer: 'ONE', amount: 1n, valueCents: 1n, filing: 0, flags: 0 };
  const rows = Array.from({ length: ROWS }, (_, at) => ({ cusip: String(at) as Cusip, ...row }));
  return { ...columns, put: ({ cik }: { readonly cik: Cik }) => columns.put(cik, rows) };
}

it('quarters stay in memory as long as their rows fit, the least recently used first out', async () => {
  const { read, rowsOver } = openCache(2 * FULL);
  for (const quarter of [A, B, A, C, A, B]) await rowsOver(quarter);
  expect(read).toEqual([A, B, C, B]);
});

it('the quarters of one computation stay, however long they are', async () => {
  const { read, rowsOver } = openCache(FULL);
  expect(await rowsOver(A, B, C)).toEqual({ kind: 'computed', answer: [ROWS, ROWS, ROWS] });
  await rowsOver(B, C);
  expect(read).toEqual([A, B, C]);
  await rowsOver(A);
  expect(read).toEqual([A, B, C, A]);
});

it('two quarters that are used by turns both stay, although one alone fills the memory', async () => {
  const { read, rowsOver } = openCache(ROWS, 2);
  for (const quarter of [A, B, A, B]) await rowsOver(quarter);
  expect(read).toEqual([A, B]);
  for (const quarter of [C, B, A]) await rowsOver(quarter);
  expect(read).toEqual([A, B, C, A]);
});

it('many short quarters leave too', async () => {
  const { read, rowsOver } = openCache(QUARTER_ROWS + 2 * ROWS);
  for (const quarter of [A, B, A]) await rowsOver(quarter);
  expect(read).toEqual([A, B, A]);
});

it('a quarter without reports puts no other one out', async () => {
  const { read, rowsOver, overEmpty } = openCache(ROWS, 2);
  for (const quarter of [A, B]) await rowsOver(quarter);
  // Its reports were withdrawn: it stays no longer than it is asked for.
  await overEmpty(B);
  await rowsOver(C);
  await rowsOver(A);
  expect(read).toEqual([A, B, C]);
});

it('a quarter that never had reports is the same one each time, so what was computed over it is remembered', async () => {
  const { rowsOver, overEmpty } = openCache(ROWS);
  const empty = await overEmpty(C);
  for (const quarter of [A, B]) await rowsOver(quarter);
  expect(await overEmpty(C)).toBe(empty);
});
