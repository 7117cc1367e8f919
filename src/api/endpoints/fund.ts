import { z } from 'zod';
import { sourceUrl } from '../../domain/filing/filing.ts';
import { curatedManagerOf } from '../../domain/filing/manager.ts';
import { reportQualityOf } from '../../domain/quality/quality.ts';
import { quarterLabel, yearAndQuarterOf } from '../../domain/quarter.ts';
import type { ReportFiling } from '../../domain/report/report.ts';
import { type FilingInReport, filingAsReported } from '../../domain/report/scale.ts';
import { unreadReportsOf } from '../../store/filing/failures.ts';
import { type FilingDoc, filingsOfFund, thirteenFOf } from '../../store/filing/filings.ts';
import { type FundDoc, findFund } from '../../store/report/funds.ts';
import { findReport, type ReportDoc, reportsOfFund } from '../../store/report/reports.ts';
import { defineEndpoint, refusal } from '../endpoint/endpoint.ts';
import { unreadItems, unreadMessage, unreadShape } from '../endpoint/page.ts';
import { cikParam, qualityShape, wireQuality } from '../endpoint/param.ts';

const manager = z.strictObject({
  name: z.string(),
  role: z.enum(['filing_manager', 'included_manager', 'portfolio_manager']),
  cik: z.string().nullable(),
  form13f_file_number: z.string().nullable(),
  sequence: z.int().nullable().describe('Number in the list on the summary page'),
  source: z.string().describe('Address of the source'),
});

const filing = z.strictObject({
  accession_number: z.string(),
  form_type: z.string(),
  report_type: z.enum(['holdings', 'notice', 'combination']),
  quarter_end: z.string(),
  year: z.int(),
  quarter: z.int(),
  filed_at: z.string().describe('A day when only the day is known'),
  is_amendment: z.boolean(),
  amendment_type: z.enum(['restatement', 'new_holdings']).nullable(),
  amendment_number: z.int().nullable(),
  superseded_by: z.string().nullable(),
  holdings_count: z.int().describe('Equity positions of this filing alone'),
  value_cents: z
    .string()
    .describe(
      'Of all rows, in the scale that its report uses for it; `quality` says when the scale was corrected',
    ),
  declared_entry_total: z.int().nullable(),
  confidential_omitted: z.boolean().nullable(),
  source_url: z.string(),
  quality: qualityShape,
});

/** Rule 11.5, newest filing first. */
export const fundBody = z.strictObject({
  data: z.strictObject({
    cik: z.string(),
    name: z.string(),
    slug: z.string(),
    manager: z.string().nullable(),
    managers: z.array(manager),
    aum_cents: z.string(),
    reported_value_cents: z.string(),
    latest_quarter: z.string(),
    latest_quarter_end: z.string(),
    holdings_count: z.int().describe('As in `/funds`'),
    filings: z.array(filing),
    unread_filings: unreadShape.describe('Its filings that cannot be read, whatever they hold'),
  }),
});

type FundManager = z.input<typeof manager>;

export const fund = defineEndpoint({
  name: 'fund.get',
  path: '/funds/{cik}',
  title: 'Fund',
  summary: 'One fund: its managers and its filing history',
  description:
    'The manager as in its latest report, the managers whose holdings that report includes, and every filing, newest first. A filing that an amendment replaced names the amendment in `superseded_by`.',
  example: { cik: '1067983' },
  digest: {
    facts: [
      'name',
      'cik',
      'manager',
      'aum_cents',
      'latest_quarter',
      'holdings_count',
      'unread_filings.accession_number',
      'managers.name',
    ],
    rows: {
      at: 'filings',
      columns: [
        'accession_number',
        'form_type',
        'quarter_end',
        'filed_at',
        'holdings_count',
        'value_cents',
        'superseded_by',
        'quality.status',
      ],
    },
  },
  credits: 1,
  params: { cik: cikParam },
  query: {},
  output: fundBody,
  errors: ['fund_not_found'],
  async handler({ db }, { cik }) {
    const found = await findFund(db, cik);
    const unread = await unreadReportsOf(db, cik);
    if (found === null)
      return refusal('fund_not_found', unreadMessage(cik, unread) ?? `No fund has the CIK ${cik}.`);
    const [latest, reports, filings] = await Promise.all([
      findReport(db, { cik, quarterEnd: found.latestQuarterEnd }),
      reportsOfFund(db, cik),
      filingsOfFund(db, cik),
    ]);
    const reported = new Map(
      reports.flatMap((report) => report.filings.map((filing) => [filing.accession, { filing, report }])),
    );
    const replacedBy = new Map(reports.flatMap((report) => supersessions(report.filings)));
    const data = {
      cik,
      name: found.name,
      slug: found.slug,
      manager: found.manager ?? curatedManagerOf(cik)?.name ?? null,
      managers: managersOf(found, latest, filings),
      aum_cents: found.aumCents.toString(),
      reported_value_cents: (latest?.reportedValueCents ?? 0n).toString(),
      latest_quarter: quarterLabel(found.latestQuarterEnd),
      latest_quarter_end: found.latestQuarterEnd,
      holdings_count: Number(found.holdingsCount),
      filings: filings.flatMap((filing) =>
        filingItem(filing, replacedBy.get(filing._id) ?? null, reported.get(filing._id) ?? null),
      ),
      unread_filings: unreadItems(unread),
    };
    return { kind: 'body', body: { data } };
  },
});

/** A superseded filing points to the next base after it in the order of the fold. */
function supersessions(filings: readonly ReportFiling[]): [string, string][] {
  return filings.flatMap((filing, at): [string, string][] => {
    if (filing.role !== 'superseded') return [];
    const next = filings.slice(at + 1).find((later) => later.role === 'base');
    const base = next ?? filings.findLast((any) => any.role === 'base');
    return base === undefined ? [] : [[filing.accession, base.accession]];
  });
}

/** The filer, the managers whose holdings its latest report includes, and the curated person (rule 11.5). */
function managersOf(found: FundDoc, latest: ReportDoc | null, filings: readonly FilingDoc[]): FundManager[] {
  const newest = filings[0];
  const source = newest === undefined ? '' : sourceUrl(found._id, newest._id);
  const filer: FundManager = {
    name: found.name,
    role: 'filing_manager',
    cik: found._id,
    form13f_file_number: newest === undefined ? null : (thirteenFOf(newest)?.form13fFileNumber ?? null),
    sequence: null,
    source,
  };
  const includedSource = latest === null ? source : sourceUrl(found._id, latest.newest.accession);
  const included = (latest?.includes ?? []).map(
    (other): FundManager => ({
      name: other.name,
      role: 'included_manager',
      cik: other.cik,
      form13f_file_number: other.form13fFileNumber,
      sequence: other.sequence === null ? null : Number(other.sequence),
      source: includedSource,
    }),
  );
  const person = curatedManagerOf(found._id);
  if (person === null) return [filer, ...included];
  const unlisted = { cik: null, form13f_file_number: null, sequence: null };
  return [filer, ...included, { ...person, role: 'portfolio_manager', ...unlisted }];
}

function filingItem(filing: FilingDoc, supersededBy: string | null, inReport: FilingInReport | null) {
  const report = thirteenFOf(filing);
  if (report === null) return [];
  const alone = { ...report, filedDate: filing.filedDate };
  const { valueCents, reasons } = filingAsReported(alone, inReport);
  return [
    {
      accession_number: filing._id,
      form_type: filing.form,
      report_type: report.reportType,
      quarter_end: report.quarterEnd,
      ...yearAndQuarterOf(report.quarterEnd),
      filed_at: filing.publishedAt?.value ?? filing.filedDate,
      is_amendment: report.isAmendment,
      amendment_type: report.amendmentType,
      amendment_number: report.amendmentNumber === null ? null : Number(report.amendmentNumber),
      superseded_by: supersededBy,
      holdings_count: Number(report.holdingsCount),
      value_cents: valueCents.toString(),
      declared_entry_total: report.declaredEntryTotal === null ? null : Number(report.declaredEntryTotal),
      confidential_omitted: report.confidentialOmitted,
      source_url: sourceUrl(filing.cik, filing._id),
      quality: wireQuality(reportQualityOf(reasons)),
    },
  ];
}
