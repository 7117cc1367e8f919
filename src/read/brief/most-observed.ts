import type { Db } from 'mongodb';
import type { Ticker } from '../../domain/ids.ts';
import { publishedCorpus } from '../../store/publish/corpus.ts';
import { currentBriefsIn } from '../../store/publish/current-briefs.ts';
import { listFunds } from '../../store/report/funds.ts';
import { HOLDINGS_PAGE_ROWS, readHoldings } from '../../store/report/holdings.ts';
import { findReport } from '../../store/report/reports.ts';
import { tickersByCusip } from '../../store/security/securities.ts';
import { currentBrief } from './brief.ts';

/**
 * The current brief of the ticker with the most managers observed, ties alphabetical (rule 11.10). A count
 * of an earlier publication may only be too high, because managers that are late stop counting: so the
 * highest is built again until it is one of the present publication. Where no brief was built yet, the one
 * of the largest position of the largest fund is.
 */
export async function mostObserved(
  db: Db,
  now: () => Date,
): Promise<{ ticker: Ticker; briefId: string } | null> {
  let counted: Ticker | null = null;
  for (;;) {
    const most = await mostCounted(db);
    const ticker = most?.ticker ?? (await largestPosition(db));
    if (ticker === null) return null;
    const { briefId } = await currentBrief(db, ticker, now);
    if (counted === ticker || briefId === most?.briefId) return { ticker, briefId };
    counted = ticker;
  }
}

/** The ticker and brief that were built with the most managers, as they are shown. Builds nothing. */
export async function mostCounted(db: Db): Promise<{ ticker: Ticker; briefId: string } | null> {
  const [most] = await currentBriefsIn(db).find().sort({ managersObserved: -1, _id: 1 }).limit(1).toArray();
  return most === undefined ? null : { ticker: most._id, briefId: most.briefId };
}

/**
 * The ticker of the largest position of the largest fund. Null before the corpus is published, and when that fund has
 * no position with a ticker on its first page.
 */
export async function largestPosition(db: Db): Promise<Ticker | null> {
  const asOf = (await publishedCorpus(db))?.corpus.asOf;
  const [fund] = (await listFunds(db, { skip: 0, limit: 1 })).funds;
  const report =
    fund === undefined ? null : await findReport(db, { cik: fund._id, quarterEnd: fund.latestQuarterEnd });
  if (asOf === undefined || report === null) return null;
  const rows = await readHoldings(db, report, { from: 0, count: HOLDINGS_PAGE_ROWS });
  const cusips = rows.map(({ cusip }) => cusip);
  const tickers = await tickersByCusip(db, cusips, asOf);
  return cusips.map((cusip) => tickers.get(cusip)).find((ticker) => ticker !== undefined) ?? null;
}
