import type { HolderList, HolderRow } from '../../domain/holders/holders.ts';
import { evidenceIdsOf } from '../../domain/holders/institutional.ts';
import type { Cusip, Ticker } from '../../domain/ids.ts';
import { pctDelta, weightPct } from '../../domain/ratio.ts';
import { isValued } from '../../domain/report/holding.ts';
import type { SecurityResolution } from '../../domain/security/resolution.ts';
import { readHolders } from '../../read/holders/holders.ts';
import { resolvePublished } from '../../read/holders/resolution.ts';
import { type FundDoc, fundsById } from '../../store/report/funds.ts';
import { defineEndpoint, type Outcome } from '../endpoint/endpoint.ts';
import { limitParam, linkHeader, pageParam, paginationOf } from '../endpoint/page.ts';
import { tickerParam } from '../endpoint/param.ts';
import { periodEnd, periodParams, periodRule } from '../endpoint/period.ts';
import { wireQuality } from '../endpoint/quality-shape.ts';
import { problem } from '../http/problem.ts';
import { type StockData, stockBody } from './stock-shape.ts';

export const stock = defineEndpoint({
  name: 'stock.owners',
  method: 'GET',
  path: '/stocks/{ticker}',
  title: 'Stock owners',
  summary: 'The tracked managers that own a stock, with the change of each against the quarter before',
  description:
    'One row per manager: value descending, then exited owners by their prior value, ties by CIK. Without a quarter it is the latest that any tracked manager reported, by the very observations of the capital-change brief. While its filing window is open, a manager that has not filed yet is carried forward by its report of the quarter before: `stale`, with its own `quarter_end`, never an exit. It is in `totals`, in `counts` as what that report shows, and once more in `counts.stale`. When the window has closed it is no longer listed.\n\n`year` and `quarter` name a report period and go together: then only reports of that period count, nothing is carried forward, and a period in which nobody reported the stock is an empty list. Rows of `excluded` quality are listed, but in no total and no count. A page past the end is empty, with true totals. A ticker that is unknown, stands for several securities, or has no known CUSIP is 404 `stock_not_found`.',
  example: { ticker: 'AAPL', limit: 2 },
  credits: 2,
  params: { ticker: tickerParam },
  query: { ...periodParams, page: pageParam, limit: limitParam(50, 100) },
  rule: periodRule,
  output: stockBody,
  errors: ['stock_not_found'],
  async handler({ db, siteUrl }, { ticker, year, quarter, page, limit }) {
    const { publication, resolution } = await resolvePublished(db, ticker);
    const security = securityOf(resolution);
    if (security === null) return notFound(resolution);
    const { state } = publication.corpus;
    const quarterEnd = periodEnd({ year, quarter });
    const list = await readHolders(db, { ...security.key, publication, quarterEnd });
    const rows = list.rows.slice((page - 1) * limit, page * limit);
    const funds = await fundsById(
      db,
      rows.map(({ observation }) => observation.cik),
    );
    const pagination = paginationOf(page, limit, list.rows.length);
    const data: StockData = {
      entity: security.entity,
      quarter_end: quarterEnd ?? state.latestReportedQuarterEnd,
      latest_quarter_filing_window: state.filingWindow,
      owners: rows.map((row) => holderItem(row, funds.get(row.observation.cik))),
      ...sumsOf(list),
      pagination,
    };
    const address = `${siteUrl}/v1/stocks/${security.key.ticker}`;
    return { kind: 'body', body: { data }, headers: linkHeader(address, { year, quarter }, pagination) };
  },
});

type Security = {
  readonly key: { readonly ticker: Ticker; readonly cusip: Cusip };
  readonly entity: StockData['entity'];
};

/** Only what has a CUSIP can be looked for in 13F reports. */
function securityOf(resolution: SecurityResolution): Security | null {
  if (resolution.kind !== 'resolved' || resolution.cusip === null) return null;
  const { ticker, name, cusip, issuerCik } = resolution;
  return { key: { ticker, cusip }, entity: { ticker, name, cusip, cik: issuerCik } };
}

/** None of these is answered with an empty list: that would say that nobody owns the stock. */
function notFound(resolution: SecurityResolution): Outcome<never> {
  return { kind: 'problem', problem: problem('stock_not_found', reasonOf(resolution)) };
}

function reasonOf(resolution: SecurityResolution): string {
  const { kind, ticker } = resolution;
  if (kind === 'unknown') return `No security is known by the ticker ${ticker}.`;
  if (kind === 'resolved') return `No CUSIP is known for ${ticker}, so its 13F owners cannot be told.`;
  return `The ticker ${ticker} is ambiguous: it could be ${resolution.candidates.join(' or ')}.`;
}

function sumsOf({ totals, counts }: HolderList): Pick<StockData, 'totals' | 'counts'> {
  const { holders, shares, valueCents } = totals;
  return { totals: { holders, shares: String(shares), value_cents: String(valueCents) }, counts };
}

/** The fund as it is listed now: its name may be newer than the observation. */
function holderItem(row: HolderRow, listed: FundDoc | undefined): StockData['owners'][number] {
  const { observation } = row;
  const { currentShares, previousShares, currentValueCents } = observation;
  const { name, slug } = listed ?? observation;
  return {
    fund: { name, cik: observation.cik, slug },
    quarter_end: observation.quarterEnd,
    shares: String(currentShares),
    value_cents: String(currentValueCents),
    weight_pct: isValued(row.quality) ? weightPct(currentValueCents, row.reportAumCents) : 0,
    change_type: row.changeType,
    share_delta: String(currentShares - previousShares),
    pct_delta: pctDelta(currentShares, previousShares),
    published_at: { ...observation.publishedAt },
    evidence_ids: evidenceIdsOf(observation),
    quality: wireQuality(row.quality),
    stale: row.isStale,
  };
}
