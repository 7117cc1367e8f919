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
    pagination: paginationShape.describe('`pages` counts those that may be asked for'),
    total_is_lower_bound: z
      .boolean()
      .describe(`True when more than ${MAX_LISTED} match: then total is ${MAX_LISTED}`),
    coverage: z.strictObject({
      coverage_start: day
        .nullable()
        .describe('First day of filings that is read without a gap from there on'),
      indexed_through: day.nullable().describe('Last day whose index of filings was read to its end'),
    }),
  }),
});

export const insiderTransactions = defineEndpoint({
  name: 'insider.transactions',
  method: 'GET',
  path: '/insider/transactions',
  title: 'Insider transactions',
  summary: 'Form 4 transactions of all issuers, the newest filed first',
  description:
    'Non-derivative transactions of Forms 4 and 4/A, by `filed_at`, then `accession_number`, both descending, then by row. Without `code` only codes P and S, open-market purchases and sales, are listed. Rows that an amendment replaced, that repeat a trade of another filing, or that cannot be used (a code that contradicts the acquired or disposed mark, an equity swap, no shares) are left out; `/filing/{accession}` shows them with the reason. A price far above what 13F reports imply around its day, or negative, is marked `price_implausible`, in most cases a total typed into the price field: `value_usd` stays as filed, and no sum has it. At least three insiders at one price, day and side are marked `possible_offering`.\n\n`ticker` is resolved as in the capital-change brief: trades of the issuer, without those whose title or symbol names another share class. A ticker that is unknown, ambiguous or has no known issuer is an empty list. `since` and `until` compare the transaction date; where that cannot be right (`date_implausible`) the period of report stands for it. `exclude_10b5_1=true` leaves out what the form marks as made under a plan; forms without the mark (`is_10b5_1` null, all before April 2023) stay. `page` times `limit` is at most 10,000. A page past the end is empty, with true totals; beyond 10,000 matches `total` stops there and `total_is_lower_bound` is true.',
  example: { ticker: 'TSLA', limit: 2 },
  credits: 1,
  params: {},
  query: insiderQuery,
  rule: insiderRule,
  output,
  errors: [],
  async handler({ db, siteUrl }, { page, limit, ...asked }) {
    const subject = await subjectOf(db, asked.ticker);
    const found = await listTrades(db, tradeQuery(asked, subject), { skip: (page - 1) * limit, limit });
    const pagination = reachable(paginationOf(page, limit, found.total));
    const { coverageStart, indexedThrough } = subject.publication.corpus.state;
    const data = {
      transactions: await itemsOf(db, found.trades, subject),
      pagination,
      total_is_lower_bound: found.isLowerBound,
      coverage: { coverage_start: coverageStart, indexed_through: indexedThrough },
    };
    const address = `${siteUrl}/v1/insider/transactions`;
    return { kind: 'body', body: { data }, headers: linkHeader(address, linkQuery(asked), pagination) };
  },
});

type Asked = {
  readonly ticker?: Ticker | undefined;
  readonly cik?: Cik | undefined;
  readonly since?: IsoDate | undefined;
  readonly until?: IsoDate | undefined;
  readonly code: ScopeQuery['codes'];
  readonly side?: Side | undefined;
  readonly min_value_cents?: bigint | undefined;
  readonly exclude_10b5_1: boolean;
};

/** Whose trades are asked for: everybody's where `ticker` is null, nobody's where it has no issuer. */
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

function tradeQuery(asked: Asked, { publication, ticker, issuerCik, reasons }: Subject): TradeQuery {
  const isNobody = ticker !== null && issuerCik === null;
  const others = [...reasons].filter(([, why]) => why.includes('other_share_class'));
  return {
    issuerCik,
    reportingOwnerCik: asked.cik ?? null,
    codes: isNobody ? [] : asked.code,
    side: asked.side ?? null,
    since: asked.since ?? null,
    until: asked.until ?? null,
    asOf: publication.corpus.asOf,
    minValueCents: asked.min_value_cents ?? null,
    excludePlanned: asked.exclude_10b5_1,
    withoutLines: others.map(([line]) => line),
  };
}

/** The last page may begin within the bound and end beyond it; it cannot be asked for. */
function reachable(pagination: Pagination): Pagination {
  return { ...pagination, pages: Math.min(pagination.pages, Math.floor(MAX_LISTED / pagination.limit)) };
}

function linkQuery(asked: Asked): Record<string, string | undefined> {
  return {
    ticker: asked.ticker,
    cik: asked.cik,
    since: asked.since,
    until: asked.until,
    code: asked.code === 'all' ? 'all' : asked.code.join(','),
    side: asked.side,
    min_value_cents: asked.min_value_cents?.toString(),
    exclude_10b5_1: asked.exclude_10b5_1 ? 'true' : undefined,
  };
}
