import type { Db } from 'mongodb';
import { tickersThroughChanges } from '../../src/read/holders/security-history.ts';
import { publishedAsOf } from '../../src/store/filing/settings.ts';
import { readHoldings } from '../../src/store/report/holdings.ts';
import { reportsIn } from '../../src/store/report/reports.ts';

/** Rows of a default page of `/funds/{cik}/holdings`. */
const ROWS = 100;

/** Reads what a default page of the largest report shows, as the endpoint does. */
export async function readPage(db: Db): Promise<number> {
  const [report] = await reportsIn(db).find({}).sort({ rowTotal: -1 }).limit(1).toArray();
  if (report === undefined) throw new Error('no report is stored');
  const rows = await readHoldings(db, report, { from: 0, count: ROWS });
  const asOf = (await publishedAsOf(db)) ?? report.newest.filedDate;
  const tickers = await tickersThroughChanges(db, [...new Set(rows.map((row) => row.cusip))], asOf);
  return tickers.size;
}
