import type { Db } from 'mongodb';
import type { Cusip, IsoDate, Ticker } from '../../domain/ids.ts';
import { tickersThroughChanges } from '../../read/holders/security-history.ts';
import { publishedAsOf } from '../../store/filing/settings.ts';
import { publishedTickers } from './search-memory.ts';

/**
 * The tickers of CUSIPs on the as-of date, from the published index in memory. Only a CUSIP that the index
 * does not show yet is resolved from its statements, so a page costs the same with any number of these.
 * @param filedDate stands in before an as-of date is published
 */
export async function tickersOf(
  db: Db,
  cusips: readonly Cusip[],
  filedDate: IsoDate,
): Promise<Map<Cusip, Ticker>> {
  const published = await publishedTickers(db, cusips);
  const missing = cusips.filter((cusip) => !published.has(cusip));
  const tickers = new Map(
    [...published].flatMap(([cusip, ticker]) => (ticker === null ? [] : [[cusip, ticker]])),
  );
  if (missing.length === 0) return tickers;
  const asOf = (await publishedAsOf(db)) ?? filedDate;
  return new Map([...tickers, ...(await tickersThroughChanges(db, missing, asOf))]);
}
