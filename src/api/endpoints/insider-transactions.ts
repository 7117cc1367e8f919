import type { Db } from 'mongodb';
import { z } from 'zod';
import { unreadFormsWords } from '../../domain/brief/words/insider-limitations.ts';
import { type Cik, isIsoDate, type Ticker } from '../../domain/ids.ts';
import { coverageOfDays, noIssuer } from '../../domain/insider/coverage.ts';
import { withReasons, withTicker } from '../../domain/insider/item.ts';
import { EARLIEST_PLAUSIBLE_TRADE } from '../../domain/insider/thresholds.ts';
import type { Reason } from '../../domain/quality/quality.ts';
import { day } from '../../domain/wire/brief-values.ts';
import { type Covered, coveredShape, lacking } from '../../domain/wire/limitation.ts';
import { type TransactionItem, transactionShape } from '../../domain/wire/transaction.ts';
import { requireCorpus, resolvePublished } from '../../read/holders/resolution.ts';
import { withPriceReasons } from '../../read/trade/prices.ts';
import { unreadForms } from '../../store/filing/failures.ts';
import type { Publication } from '../../store/publish/corpus.ts';
import { tickersOfForms } from '../../store/security/securities.ts';
import { lineReasons } from '../../store/trade/lines.ts';
import { type ListedTrade, listTrades, MAX_LISTED, type TradeQuery } from '../../store/trade/list.ts';
import { itemOf } from '../../store/trade/trades.ts';
import { defineEndpoint } from '../endpoint/endpoint.ts';
import {
  limitParam,
  linkHeader,
  type Pagination,
  pageParam,
  paginationOf,
  paginationShape,
} from '../endpoint/page.ts';
import { cikParam, parsedBy, tickerParam } from '../endpoint/param.ts';
import type { Detail } from '../http/problem.ts';

const CODES = /^(all|ALL|[A-Za-z](,[A-Za-z]){0,25})$/;

const CENTS = /^(0|[1-9]\d{0,17})$/;

const DAY_REASON = 'must be a calendar day, YYYY-MM-DD';

const dayParam = z.iso
  .date(DAY_REASON)
  .transform(parsedBy((text) => (isIsoDate(text) ? text : null), DAY_REASON))
  .optional();

/** Transaction codes of Form 4, or `all`. */
const codeParam = z
  .string()
  .regex(CODES, 'must be transaction codes such as P or P,S, or all')
  .default('P,S')
  .transform((text): 'all' | readonly string[] => {
    const codes = text.toUpperCase().split(',');
    return codes[0] === 'ALL' ? 'all' : [...new Set(codes)].sort();
  })
  .describe(
    'Transaction codes, separated by commas, or all. Default: P and S (open-market purchase and sale)',
  );

const insiderQuery = {
  ticker: tickerParam.optional(),
  cik: cikParam.optional().describe('CIK of a reporting owner, not of the issuer'),
  since: dayParam.describe('First transaction date, inclusive'),
  until: dayParam.describe('Last transaction date, inclusive'),
  code: codeParam,
  side: z
    .enum(['buy', 'sell', 'other'])
    .optional()
    .describe('buy is code P, sell is code S, other is every other code; use other with code=all'),
  min_value_cents: z
    .string()
    .regex(CENTS, 'must be a whole number of cents, at most 18 digits')
    .transform(BigInt)
    .optional()
    .describe('Minimum value in cents; a trade without a price has no value and is excluded'),
  exclude_10b5_1: z
    .enum(['true', 'false'])
    .default('false')
    .transform((text) => text === 'true')
    .describe(
      'true excludes trades that the form marks as made under a Rule 10b5-1 plan; forms without the mark stay',
    ),
  page: pageParam,
  limit: limitParam(50, 200),
};

type Query = z.output<z.ZodObject<typeof insiderQuery>>;
type Filters = Omit<Query, 'page' | 'limit'>;

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
    ...coveredShape,
  }),
});

export const insiderTransactions = defineEndpoint({
  name: 'insider.transactions',
  path: '/insider/transactions',
  title: 'Insider transactions',
  summary: 'Form 4 transactions of all issuers, newest filings first',
  description:
    'Non-derivative transactions of Forms 4 and 4/A. Without `code` only codes P and S are listed: open-market purchases and sales. The list excludes rows that an amendment replaced, that repeat a trade of another filing, or that cannot be used; `/filing/{accession}` shows them with the reason. `ticker` is resolved as in the capital-change brief. `since` and `until` compare the transaction date. `page` times `limit` is at most 10,000. Leave rows whose `quality` names `price_implausible` out of sums.',
  details:
    'Ordered by `filed_at`, then `accession_number`, both descending, then by row. What cannot be used: a code that contradicts the acquired or disposed mark, an equity swap, no shares. A price that is negative, or far above the price that 13F reports imply around its day, is marked `price_implausible`. In most cases a total was typed into the price field. `value_usd` stays as filed, but sums exclude it. Trades of at least three insiders at one price, day and side are marked `possible_offering`.\n\n`ticker` selects the trades of the issuer, without those whose title or symbol names another share class. For a ticker that is unknown, ambiguous or without a known issuer the list is empty and `not_covered`; so it is for days of which no filings were read. If the transaction date is wrong (`date_implausible`), `since` and `until` compare the period of report. `exclude_10b5_1=true` excludes trades that the form marks as made under a plan. Forms without the mark (`is_10b5_1` null, all before April 2023) stay. A page after the last one is empty, with correct totals. With more than 10,000 matches `total` is 10,000 and `total_is_lower_bound` is true.',
  example: { ticker: 'AMZN', limit: 2 },
  digest: {
    facts: ['coverage_status', 'limitations', 'coverage', 'total_is_lower_bound'],
    rows: {
      at: 'transactions',
      columns: [
        'transaction_date',
        'issuer.ticker',
        'owners.name',
        'side',
        'kind',
        'shares',
        'price_per_share',
        'value_usd',
        'accession_number',
      ],
    },
  },
  credits: 1,
  csv: true,
  params: {},
  query: insiderQuery,
  rule: insiderRule,
  output,
  async handler({ db, siteUrl }, { page, limit, ...filters }) {
    const subject = await subjectOf(db, filters.ticker);
    const found = await listTrades(db, tradeQuery(filters, subject), { skip: (page - 1) * limit, limit });
    const pagination = reachable(paginationOf(page, limit, found.total));
    const { state } = subject.publication.corpus;
    const unread = await unreadOf(db, filters, subject);
    const data = {
      transactions: await itemsOf(db, found.trades, subject),
      pagination,
      total_is_lower_bound: found.isLowerBound,
      coverage: { coverage_start: state.coverageStart, indexed_through: state.indexedThrough },
      ...lacking(coverageOfTrades(subject, filters, found.total), unread),
    };
    const address = `${siteUrl}/v1/insider/transactions`;
    return { kind: 'body', body: { data }, headers: linkHeader(address, filters, pagination) };
  },
});

/** What is said of the forms that cannot be read and may have trades of these days, however late; null for none. */
async function unreadOf(db: Db, { cik, since }: Filters, subject: Subject): Promise<string | null> {
  const { ticker, issuerCik, publication } = subject;
  if (ticker !== null && issuerCik === null) return null;
  const { asOf } = publication.corpus;
  const unread = await unreadForms(
    db,
    { issuerCik, ownerCik: cik ?? null },
    { since: since ?? EARLIEST_PLAUSIBLE_TRADE, asOf },
  );
  return unreadFormsWords(unread, issuerCik === null ? '' : ' of the issuer');
}

/** Which of the days asked for were read (rule 11.8). */
function coverageOfTrades(
  { publication, ticker, issuerCik }: Subject,
  { since, until }: Filters,
  total: number,
): Covered {
  return ticker !== null && issuerCik === null
    ? { coverage_status: 'not_covered', limitations: [noIssuer(ticker)] }
    : coverageOfDays(publication, { since, until, listed: total });
}

/** Whose trades are requested: those of all issuers when `ticker` is null, none when it has no issuer. */
type Subject = {
  readonly publication: Publication;
  readonly ticker: Ticker | null;
  readonly issuerCik: Cik | null;
  /** The reasons of its share class, as in the brief, by line. */
  readonly reasons: ReadonlyMap<string, readonly Reason[]>;
};

async function subjectOf(db: Db, ticker: Ticker | undefined): Promise<Subject> {
  const nothing = { issuerCik: null, reasons: new Map() };
  if (ticker === undefined) return { publication: await requireCorpus(db), ticker: null, ...nothing };
  const { publication, resolution } = await resolvePublished(db, ticker);
  if (resolution.kind !== 'resolved' || resolution.issuerCik === null)
    return { publication, ticker, ...nothing };
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

function insiderRule({ page, limit, since, until }: Query): Detail[] {
  const details: Detail[] = [];
  if (page * limit > MAX_LISTED) {
    details.push({ param: 'page', reason: `times limit must be at most ${MAX_LISTED}` });
  }
  if (since !== undefined && until !== undefined && since > until) {
    details.push({ param: 'since', reason: 'is after until' });
  }
  return details;
}

/** The wire items, each under the requested ticker or the one that its form means (rule 6.10). */
async function itemsOf(
  db: Db,
  trades: readonly ListedTrade[],
  { ticker, reasons }: Pick<Subject, 'ticker' | 'reasons'>,
): Promise<TransactionItem[]> {
  const priced = await withPriceReasons(
    db,
    trades.map(({ item, line, placedOn }) => ({
      item: withReasons(itemOf(item), reasons.get(line) ?? []),
      placedOn,
    })),
  );
  const items = priced.map(({ item }) => item);
  return ticker === null ? withTickers(db, items) : items.map((item) => withTicker(item, ticker));
}

async function withTickers(db: Db, items: readonly TransactionItem[]): Promise<TransactionItem[]> {
  const forms = items.map(({ issuer, security_title }) => {
    const symbols = issuer.ticker === '' ? [] : [issuer.ticker as Ticker];
    return { cik: issuer.cik as Cik, symbols, titles: [security_title] };
  });
  const tickers = await tickersOfForms(db, forms);
  return items.map((item, at) => ({ ...item, issuer: { ...item.issuer, ticker: tickers[at] ?? '' } }));
}
