import type { Db } from 'mongodb';
import { z } from 'zod';
import { leftOutOf, unreadFilings } from '../../domain/history/quarter-line.ts';
import type { HolderRow } from '../../domain/holders/holders.ts';
import { evidenceIdsOf } from '../../domain/holders/institutional.ts';
import { weightOf } from '../../domain/holders/observation.ts';
import { pctDelta } from '../../domain/ratio.ts';
import type { SecurityResolution } from '../../domain/security/mapping.ts';
import { type Covered, coveredShape, lacking } from '../../domain/wire/limitation.ts';
import { coverageOfEmpty } from '../../read/holders/coverage.ts';
import { readHolders } from '../../read/holders/holders.ts';
import { resolvePublished } from '../../read/holders/resolution.ts';
import { type FundDoc, fundsById } from '../../store/report/funds.ts';
import { nearestSecurity } from '../cache/search-memory.ts';
import { defineEndpoint, type Outcome, refusal } from '../endpoint/endpoint.ts';
import {
  limitParam,
  linkHeader,
  pageParam,
  paginationOf,
  paginationShape,
  unreadItems,
  unreadShape,
} from '../endpoint/page.ts';
import {
  periodEnd,
  periodParams,
  periodRule,
  qualityShape,
  tickerParam,
  wireQuality,
} from '../endpoint/param.ts';

const entity = z.strictObject({
  ticker: z.string().describe('In its one spelling, `BRK.B`'),
  name: z.string(),
  cusip: z.string().describe('The CUSIP of the positions'),
  cik: z.string().nullable().describe('Of the issuer; null when no source has it'),
});

const owner = z.strictObject({
  fund: z.strictObject({ name: z.string(), cik: z.string(), slug: z.string() }),
  quarter_end: z.string().describe('Of the report of the row'),
  shares: z.string(),
  value_cents: z.string(),
  weight_pct: z
    .number()
    .describe(
      "Share of the equity of that report, the manager's AUM; 0 for rows whose value does not count. What an amendment adds in doubt counts only in rows with such a doubt",
    ),
  change_type: z
    .enum(['NEW', 'ADDED', 'REDUCED', 'EXITED', 'HELD'])
    .describe(
      'Since the quarter before. A row without a comparable quarter is NEW, with the reason in `quality`',
    ),
  share_delta: z.string(),
  pct_delta: z.number().describe('NEW 100, EXITED -100, HELD 0'),
  published_at: z.strictObject({
    value: z.string(),
    precision: z.enum(['second', 'day']).describe('`day` when only the day is known'),
  }),
  evidence_ids: z.array(z.string()).describe("The report's filings first, then those of the quarter before"),
  quality: qualityShape,
  stale: z
    .boolean()
    .describe(
      'No report of the manager for the latest quarter is read yet; its earlier report is carried forward. `unread_filings` says whether it has filed one',
    ),
});

/** Rule 7.3. */
export const stockBody = z.strictObject({
  data: z.strictObject({
    entity,
    quarter_end: z.string().nullable().describe('The requested quarter; null when no report is known'),
    latest_quarter_filing_window: z
      .enum(['open', 'closed'])
      .describe('Of the latest reported quarter, for any requested quarter'),
    owners: z.array(owner),
    unread_filings: unreadShape.describe(
      '13F filings of managers that held the stock, which cannot be read. Nothing counts them. Without a quarter of the two latest quarters, else of the requested one',
    ),
    totals: z
      .strictObject({
        holders: z.int().describe('Managers with shares'),
        shares: z
          .string()
          .describe('Without rows marked `shares_equal_value`, whose share counts are unknown'),
        value_cents: z
          .string()
          .describe(
            'Without rows marked `implied_price_outlier` or `amount_implausible`; with those marked `value_unit_unverified`, whose values may be a thousand times too high or too low',
          ),
      })
      .describe('Over all pages, without options and bonds'),
    counts: z
      .strictObject({
        initiated: z.int(),
        added: z.int(),
        reduced: z.int(),
        exited: z.int(),
        unchanged: z.int(),
        baseline_only: z.int().describe('Without a comparable quarter before'),
        stale: z.int().describe('How many of the counted ones are carried forward'),
      })
      .describe('Over all pages; without a quarter the same as in the brief'),
    ...coveredShape,
    pagination: paginationShape,
  }),
});

type StockData = z.input<typeof stockBody>['data'];

export const stock = defineEndpoint({
  name: 'stock.owners',
  path: '/stocks/{ticker}',
  title: 'Stock owners',
  summary: 'The tracked managers that own a stock, each with its change since the quarter before',
  description:
    'One row per manager, largest value first, exited owners last. Without a quarter the answer is for the latest quarter that any tracked manager reported, with the same observations as the capital-change brief. `year` and `quarter` select a report period and must be given together. While the filing window is open, a manager that has not filed yet is `stale`: its row is of the quarter before, and is never an exit. Rows of `excluded` quality are in no total and no count.',
  details:
    'Ordered by value descending, then exited owners by their prior value, ties by CIK. A `stale` manager has its own `quarter_end`. It counts in `totals`, in `counts` by what that report shows, and also in `counts.stale`. After the window has closed it is no longer listed.\n\nWith `year` and `quarter` only reports of that period count and nothing is carried forward. The list is empty when no report of the period has the stock, and when none of the period is stored: `coverage_status` tells these apart. `limitations` also says what totals leave out. A page after the last one is empty, with correct totals. A ticker that is unknown, stands for several securities, or has no known CUSIP is 404 `stock_not_found`.',
  example: { ticker: 'AMZN', limit: 2 },
  firstComputes: true,
  digest: {
    facts: [
      'entity',
      'quarter_end',
      'latest_quarter_filing_window',
      'coverage_status',
      'limitations',
      'totals',
      'counts',
      'unread_filings.accession_number',
    ],
    rows: {
      at: 'owners',
      columns: [
        'fund.name',
        'fund.cik',
        'shares',
        'weight_pct',
        'change_type',
        'share_delta',
        'quality.status',
        'evidence_ids',
      ],
    },
  },
  credits: 2,
  csv: true,
  params: { ticker: tickerParam },
  query: { ...periodParams, page: pageParam, limit: limitParam(50, 100) },
  rule: periodRule,
  output: stockBody,
  errors: ['stock_not_found'],
  async handler({ db, siteUrl }, { ticker, year, quarter, page, limit }) {
    const { publication, resolution } = await resolvePublished(db, ticker);
    const security = securityOf(resolution);
    if (security === null) return noSuchStock(db, resolution);
    const { state, asOf } = publication.corpus;
    const quarterEnd = periodEnd({ year, quarter });
    const list = await readHolders(db, { ...security.key, publication, quarterEnd });
    const end = quarterEnd ?? state.latestReportedQuarterEnd;
    const covered: Covered =
      list.rows.length === 0
        ? await coverageOfEmpty(db, { ...security.key, quarterEnd: end, asOf })
        : { coverage_status: 'covered', limitations: leftOutOf(list.rows) };
    const limitations = [...covered.limitations, ...(list.stopped === false ? [] : [list.stopped])];
    const rows = list.rows.slice((page - 1) * limit, page * limit);
    const ciks = rows.map(({ observation }) => observation.cik);
    const funds = await fundsById(db, ciks);
    const pagination = paginationOf(page, limit, list.rows.length);
    const { holders, shares, valueCents } = list.totals;
    const data: StockData = {
      entity: security.entity,
      quarter_end: end,
      latest_quarter_filing_window: state.filingWindow,
      owners: rows.map((row) => holderItem(row, funds.get(row.observation.cik))),
      totals: { holders, shares: String(shares), value_cents: String(valueCents) },
      unread_filings: unreadItems(list.unread),
      counts: list.counts,
      ...lacking({ ...covered, limitations }, unreadFilings(list.unread)),
      pagination,
    };
    const address = `${siteUrl}/v1/stocks/${security.key.ticker}`;
    return { kind: 'body', body: { data }, headers: linkHeader(address, { year, quarter }, pagination) };
  },
});

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
    weight_pct: weightOf(row),
    change_type: row.changeType,
    share_delta: String(currentShares - previousShares),
    pct_delta: pctDelta(currentShares, previousShares),
    published_at: { ...observation.publishedAt },
    evidence_ids: evidenceIdsOf(observation),
    quality: wireQuality(row.quality),
    stale: row.isStale,
  };
}

/** 13F reports can be searched only by CUSIP. */
export function securityOf(resolution: SecurityResolution) {
  if (resolution.kind !== 'resolved' || resolution.cusip === null) return null;
  const { ticker, name, cusip, issuerCik } = resolution;
  return { key: { ticker, cusip }, entity: { ticker, name, cusip, cik: issuerCik } };
}

/** Why there is no list. An empty one would mean that no manager owns the stock. */
export async function noSuchStock(db: Db, resolution: SecurityResolution): Promise<Outcome<never>> {
  return refusal('stock_not_found', await reasonOf(db, resolution));
}

async function reasonOf(db: Db, resolution: SecurityResolution): Promise<string> {
  const { kind, ticker } = resolution;
  if (kind === 'unknown') {
    const meant = await nearestSecurity(db, ticker);
    const hint = meant === null ? '' : ` You may mean ${meant.ticker} (${meant.name}).`;
    return `No security is known by the ticker ${ticker}.${hint} /v1/search?type=holdings&q=${ticker} searches names.`;
  }
  if (kind === 'resolved') return `No CUSIP is known for ${ticker}, so its 13F owners are not known.`;
  return `The ticker ${ticker} is ambiguous: it could be ${resolution.candidates.join(' or ')}.`;
}
