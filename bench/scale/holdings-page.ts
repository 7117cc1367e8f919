import type { Db } from 'mongodb';
import { tickersOf } from '../../src/api/endpoints/holdings.ts';
import { readHoldings } from '../../src/store/report/holdings.ts';
import { reportsIn } from '../../src/store/report/reports.ts';

/** Rows of a default page of `/funds/{cik}/holdings`. */
const ROWS = 100;

/** Returns what reads a default page of the largest report, as the endpoint does. */
export async function holdingsPage(db: Db): Promise<() => Promise<number>> {
  const [largest] = await reportsIn(db).find({}).sort({ rowTotal: -1 }).limit(1).toArray();
  if (largest === undefined) throw new Error('no report is stored');
  const { _id, newest } = largest;
  return async () => {
    const report = await reportsIn(db).findOne({ _id });
    if (report === null) throw new Error('the largest report is gone');
    const rows = await readHoldings(db, report, { from: 0, count: ROWS });
    const cusips = [...new Set(rows.map((row) => row.cusip))];
    const tickers = await tickersOf(db, cusips, newest.filedDate);
    return tickers.size;
  };
}
