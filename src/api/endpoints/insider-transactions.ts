import type { Db } from 'mongodb';
import { z } from 'zod';
import type { Cik, IsoDate, Ticker } from '../../domain/ids.ts';
import type { Side } from '../../domain/insider/trade.ts';
import { day } from '../../domain/wire/brief-values.ts';
import { transactionShape } from '../../domain/wire/transaction.ts';
import { requireCorpus, resolvePublished } from '../../read/holders/resolution.ts';
import type { Publication } from '../../store/publish/corpus.ts';
import { lineReasons } from '../../store/trade/lines.ts';
import { listTrades, MAX_LISTED, type TradeQuery } from '../../store/trade/list.ts';
import type { ScopeQuery } from '../../store/trade/scope.ts';
import { defineEndpoint } from '../endpoint/endpoint.ts';
import { linkHeader, type Pagination, paginationOf, paginationShape } from '../endpoint/page.ts';
import { itemsOf, type LineReasons, NO_REASONS } from './insider-item.ts';
import { insiderQuery, insiderRule } from './insider-query.ts';

const output = z.strictObject({
  data: z.strictObject({
    transactions: z.array(transactionShape),
    pagination: paginationShape.describe('`pages` counts the pages that can be requested'),
    total_is_lower_bound: z
      .boolean()
      .describe(`True when more than ${MAX_LISTED} match; total is then ${MAX_LISTED}`),
    coverage: z.strictObject({
      coverage_start: day.nullable().describe('First day since which all filings are read without a gap'),
      indexed_through: day.nullable().describe('Last day whose index of filings was read completely'),
    }),
  }),
});

export const insiderTransactions = defineEndpoint({
  name: 'insider.transactions',
  path: '/insider/transactions',
  title: 'Insider transactions',
  summary: 'Form 4 transactions of all issuers, newest filings first',
  description:
    'Non-derivative transactions of Forms 4 and 4/A, by `filed_at`, then `accession_number`, both descending, then by row. Without `code` only codes P and S are listed: open-market purchases and sales. The list excludes rows that an amendment replaced, that repeat a trade of another filing, or that cannot be used (a code that contradicts the acquired or disposed mark, an equity swap, no shares). `/filing/{accession}` shows them with the reason. A price that is negative, or far above the price that 13F reports imply around its day, is marked `price_implausible`. In most cases a total was typed into the price field. `value_usd` stays as filed, but sums exclude it. Trades of at least three insiders at one price, day and side are marked `possible_offering`.\n\n`ticker` is resolved as in the capital-change brief: trades of the issuer, without those whose title or symbol names another share class. For a ticker that is unknown, ambiguous or without a known issuer the list is empty. `since` and `until` compare the transaction date. If that date is wrong (`date_implausible`), they compare the period of report. `exclude_10b5_1=true` excludes trades that the form marks as made under a plan. Forms without the mark (`is_10b5_1` null, all before April 2023) stay. `page` times `limit` is at most 10,000. A page after the last one is empty, with correct totals. With more than 10,000 matches `total` is 10,000 and `total_is_lower_bound` is true.',
  example: { ticker: 'TSLA', limit: 2 },
  credits: 1,
  params: {},
  query: insiderQuery,
  rule: insiderRule,
  output,
  async handler({ db, siteUrl }, { page, limit, ...filters }) {
    const subject = await subjectOf(db, filters.ticker);
    const found = await listTrades(db, tradeQuery(filters, subject), { skip: (page - 1) * limit, limit });
    const pagination = reachable(paginationOf(page, limit, found.total));
    const { coverageStart, indexedThrough } = subject.publication.corpus.state;
    const data = {
      transactions: await itemsOf(db, found.trades, subject),
      pagination,
      total_is_lower_bound: found.isLowerBound,
      coverage: { coverage_start: coverageStart, indexed_through: indexedThrough },
    };
    const address = `${siteUrl}/v1/insider/transactions`;
    return { kind: 'body', body: { data }, headers: linkHeader(address, linkQuery(filters), pagination) };
  },
});

type Filters = {
  readonly ticker?: Ticker | undefined;
  readonly cik?: Cik | undefined;
  readonly since?: IsoDate | undefined;
  readonly until?: IsoDate | undefined;
  readonly code: ScopeQuery['codes'];
  readonly side?: Side | undefined;
  readonly min_value_cents?: bigint | undefined;
  readonly exclude_10b5_1: boolean;
};

/** Whose trades are requested: those of all issuers when `ticker` is null, none when it has no issuer. */
type Subject = {
  readonly publication: Publication;
  readonly ticker: Ticker | null;
  readonly issuerCik: Cik | null;
  readonly reasons: LineReasons;
};

async function subjectOf(db: Db, ticker: Ticker | undefined): Promise<Subject> {
  const nothing = { issuerCik: null, reasons: NO_REASONS };
  if (ticker === undefined) return { publication: await requireCorpus(db), ticker: null, ...nothing };
  const { publication, resolution } = await resolvePublished(db, ticker);
  if (resolution.kind !== 'resolved' || resolution.issuerCik === null) {
    return { publication, ticker, ...nothing };
  }
  const { issuerCik } = resolution;
  const reasons = await lineReasons(db, issuerCik, resolution);
  return { publication, ticker: resolution.ticker, issuerCik, reasons };
}

function tradeQuery(filters: Filters, { publication, ticker, issuerCik, reasons }: Subject): TradeQuery {
  const hasNoIssuer = ticker !== null && issuerCik === null;
  const others = [...reasons].filter(([, why]) => why.includes('other_share_class'));
  return {
    issuerCik,
    reportingOwnerCik: filters.cik ?? null,
    codes: hasNoIssuer ? [] : filters.code,
    side: filters.side ?? null,
    since: filters.since ?? null,
    until: filters.until ?? null,
    asOf: publication.corpus.asOf,
    minValueCents: filters.min_value_cents ?? null,
    excludePlanned: filters.exclude_10b5_1,
    withoutLines: others.map(([line]) => line),
  };
}

/** A page that begins within the bound but ends after it cannot be requested. */
function reachable(pagination: Pagination): Pagination {
  return { ...pagination, pages: Math.min(pagination.pages, Math.floor(MAX_LISTED / pagination.limit)) };
}

function linkQuery(filters: Filters): Record<string, string | undefined> {
  return {
    ticker: filters.ticker,
    cik: filters.cik,
    since: filters.since,
    until: filters.until,
    code: filters.code === 'all' ? 'all' : filters.code.join(','),
    side: filters.side,
    min_value_cents: filters.min_value_cents?.toString(),
    exclude_10b5_1: filters.exclude_10b5_1 ? 'true' : undefined,
  };
}
