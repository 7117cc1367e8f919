import type { Db } from 'mongodb';
import { z } from 'zod';
import type { Cik, Cusip, IsoDate, QuarterEnd, Ticker } from '../../domain/ids.ts';
import { previousQuarterEnd, quarterLabel, yearAndQuarterOf } from '../../domain/quarter.ts';
import { tickersThroughChanges } from '../../read/holders/security-history.ts';
import { type UnreadReport, unreadReportsOf } from '../../store/filing/failures.ts';
import { publishedAsOf } from '../../store/filing/settings.ts';
import { findFund } from '../../store/report/funds.ts';
import { readHoldings, type StoredHolding } from '../../store/report/holdings.ts';
import { findReport, type ReportDoc, reportsOfFund } from '../../store/report/reports.ts';
import { publishedTickers } from '../cache/search-memory.ts';
import { defineEndpoint, type Outcome, refusal } from '../endpoint/endpoint.ts';
import {
  limitParam,
  linkHeader,
  pageParam,
  paginationOf,
  paginationShape,
  unreadItems,
  unreadMessage,
  unreadShape,
} from '../endpoint/page.ts';
import {
  cikParam,
  type Period,
  periodEnd,
  periodParams,
  periodRule,
  qualityShape,
  wireQuality,
} from '../endpoint/param.ts';

const summedApart = z.strictObject({ rows: z.int(), value_cents: z.string() });

const filing = z.strictObject({
  quarter_end: z.string(),
  year: z.int(),
  quarter: z.int(),
  holdings_count: z.int().describe('Rows but EXITED ones, those in doubt too'),
  accession_number: z.string(),
  form_type: z.string(),
  filed_at: z.string().describe('A day when only the day is known'),
  prior_quarter_end: z.string().nullable(),
  comparison_available: z.boolean(),
  excluded: z
    .strictObject({ options: summedApart, principal: summedApart })
    .describe('Rows that are summed separately and never count as equity'),
  quality: qualityShape,
});

const row = z.strictObject({
  cusip: z.string(),
  ticker: z.string().nullable(),
  issuer: z.string(),
  shares: z.string(),
  value_cents: z.string(),
  change_type: z.enum(['NEW', 'ADDED', 'REDUCED', 'EXITED', 'HELD']),
  share_delta: z.string(),
  pct_delta: z.number(),
  prior_shares: z.string(),
  prior_value_cents: z
    .string()
    .describe('As reported by the manager: without what `taken_in_stated` adds to the shares'),
  weight_pct: z
    .number()
    .describe(
      'Share of the equity of the report; 0 for rows whose value does not count (`implied_price_outlier`, `amount_implausible`). What an amendment adds in doubt counts only in rows with such a doubt',
    ),
  quality: qualityShape,
  evidence_ids: z.array(z.string()),
});

/** Rule 11.5. */
export const holdingsBody = z.strictObject({
  data: z.strictObject({
    fund: z.strictObject({ cik: z.string(), name: z.string() }),
    filing,
    holdings: z.array(row),
    unread_filings: unreadShape.describe(
      'Filings of the manager for this quarter, the one before and later ones, which cannot be read. Nothing counts them',
    ),
    pagination: paginationShape,
  }),
});

export const holdings = defineEndpoint({
  name: 'fund.holdings',
  path: '/funds/{cik}/holdings',
  title: 'Fund holdings',
  summary: 'Equity holdings of one report of a fund, each with its change since the quarter before',
  description:
    'One row per security with its change since the quarter before: value descending, then exited positions by their prior value, then CUSIP. `year` and `quarter` select the report period and must be given together. Without them it is the latest report.\n\nOnly the adjacent quarter is compared. Without it every row is `NEW` and `comparison_available` is false. Options and bonds are summed separately in `excluded`.',
  details:
    'A quarter that only a notice covers is 404 `holdings_reported_elsewhere`, with the managers that report the holdings.',
  example: { cik: '1067983', limit: 2 },
  digest: {
    facts: [
      'fund.name',
      'fund.cik',
      'filing.quarter_end',
      'filing.accession_number',
      'filing.holdings_count',
      'filing.comparison_available',
      'filing.quality',
      'unread_filings.accession_number',
    ],
    rows: {
      at: 'holdings',
      columns: [
        'ticker',
        'issuer',
        'cusip',
        'shares',
        'value_cents',
        'weight_pct',
        'change_type',
        'share_delta',
        'quality.status',
      ],
    },
  },
  credits: 1,
  csv: true,
  params: { cik: cikParam },
  query: {
    ...periodParams,
    page: pageParam,
    limit: limitParam(100, 500),
  },
  rule: periodRule,
  output: holdingsBody,
  errors: ['fund_not_found', 'filing_not_found', 'holdings_reported_elsewhere'],
  async handler(reading, { cik, year, quarter, page, limit }) {
    const found = await findPeriod(reading.db, cik, { year, quarter });
    const unread = await unreadReportsOf(reading.db, cik);
    if (found.report === null) return notFound(reading.db, cik, { ...found, unread });
    const { report } = found;
    if (report.state === 'notice') return elsewhere(report);
    const before = previousQuarterEnd(report.quarterEnd);
    const pagination = paginationOf(page, limit, Number(report.rowTotal));
    const rows = await readHoldings(reading.db, report, { from: (page - 1) * limit, count: limit });
    const cusips = [...new Set(rows.map((row) => row.cusip))];
    const tickers = await tickersOf(reading.db, cusips, report.newest.filedDate);
    const data = {
      fund: { cik, name: found.fund?.name ?? report.managerName },
      filing: filingOf(report),
      holdings: rows.map((row) => rowOf(row, tickers.get(row.cusip) ?? null)),
      unread_filings: unreadItems(unread.filter(({ quarterEnd }) => quarterEnd >= before)),
      pagination,
    };
    const address = `${reading.siteUrl}/v1/funds/${cik}/holdings`;
    return { kind: 'body', body: { data }, headers: linkHeader(address, { year, quarter }, pagination) };
  },
});

/** The report of the given quarter, else the latest. A manager that files only notices is no fund. */
async function findPeriod(db: Db, cik: Cik, { year, quarter }: Period) {
  const fund = await findFund(db, cik);
  const quarterEnd = periodEnd({ year, quarter }) ?? fund?.latestQuarterEnd;
  const named = quarterEnd === undefined ? null : await findReport(db, { cik, quarterEnd });
  if (named !== null || fund !== null) return { fund, report: named, isFund: true, quarterEnd };
  const [latest] = await reportsOfFund(db, cik);
  const report = year === undefined ? (latest ?? null) : null;
  return { fund, report, isFund: latest !== undefined, quarterEnd };
}

type Missing = {
  readonly isFund: boolean;
  readonly quarterEnd?: QuarterEnd | undefined;
  readonly unread: readonly UnreadReport[];
};

async function notFound(db: Db, cik: Cik, { isFund, quarterEnd, unread }: Missing): Promise<Outcome<never>> {
  const filed = unread.filter((one) => quarterEnd === undefined || one.quarterEnd === quarterEnd);
  const unreadable = unreadMessage(cik, filed);
  if (unreadable !== null) return refusal('filing_not_found', unreadable);
  if (!isFund) return refusal('fund_not_found', `No fund has the CIK ${cik}.`);
  const known = (await reportsOfFund(db, cik)).map(({ quarterEnd }) => quarterLabel(quarterEnd));
  const latest = known.slice(0, MAX_NAMED_QUARTERS).join(', ');
  const rest =
    known.length > MAX_NAMED_QUARTERS ? ` and ${known.length - MAX_NAMED_QUARTERS} earlier ones` : '';
  const message = `No report of fund ${cik} for that quarter was read, which does not say that none was filed. Read were ${latest}${rest}.`;
  return refusal('filing_not_found', message);
}

const MAX_NAMED_QUARTERS = 4;

/** Only a notice (13F-NT) covers the quarter; it names the managers that report the holdings (rule 11.5). */
function elsewhere(report: ReportDoc): Outcome<never> {
  const managers = report.reportedBy.map(({ name, cik, form13fFileNumber: form13f_file_number }) => ({
    name,
    cik,
    form13f_file_number,
  }));
  const message = `${report.managerName} filed a notice for ${report.quarterEnd}: other managers report its holdings.`;
  return refusal('holdings_reported_elsewhere', message, { extra: { managers } });
}

function filingOf(report: ReportDoc) {
  return {
    quarter_end: report.quarterEnd,
    ...yearAndQuarterOf(report.quarterEnd),
    holdings_count: Number(report.holdingsCount),
    accession_number: report.newest.accession,
    form_type: report.newest.form,
    filed_at: report.newest.publishedAt.value,
    prior_quarter_end: report.comparable ? report.priorQuarterEnd : null,
    comparison_available: report.comparable,
    excluded: {
      options: { rows: Number(report.optionRows), value_cents: report.optionValueCents.toString() },
      principal: { rows: Number(report.principalRows), value_cents: report.principalValueCents.toString() },
    },
    quality: wireQuality(report.quality),
  };
}

function rowOf({ cusip, issuer, quality, ...row }: StoredHolding, ticker: string | null) {
  return { cusip, ticker, issuer, ...row, quality: wireQuality(quality) };
}

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
