import type { Db } from 'mongodb';
import type { ThirteenFContent } from '../../domain/filing/filing.ts';
import type { Reason } from '../../domain/quality/quality.ts';
import { reasonsOfTotals } from '../../domain/report/holding.ts';
import { valueScaleCents } from '../../domain/report/scale.ts';
import { type FilingDoc, filingsIn, thirteenFOf } from '../../store/filing/filings.ts';
import { readRows } from '../../store/filing/rows.ts';
import { findVerdict } from '../../store/peers/answers.ts';
import { type ReportDoc, reportsIn } from '../../store/report/reports.ts';
import { type AuditScope, byAmount, type Section, tally, usd, worstOf } from './tally.ts';

type Parsed = Pick<FilingDoc, '_id' | 'cik' | 'filedDate' | 'rows'> & { readonly content: ThirteenFContent };

const FIELDS = { cik: 1, filedDate: 1, content: 1, rows: 1 } as const;

/** One pass over the parsed 13F filings without their rows. */
export async function auditFilings(db: Db, { quarterEnd, limit }: AuditScope) {
  const reasons = tally<Reason>();
  const [totals, texts] = [declaredTotals(db, limit), textTables(limit)];
  let count = 0;
  const ofQuarter = quarterEnd === null ? {} : { 'content.quarterEnd': quarterEnd };
  const parsed = filingsIn(db).find(
    { state: 'parsed', leg: 'thirteen_f', ...ofQuarter },
    { projection: FIELDS },
  );
  for await (const doc of parsed) {
    const content = thirteenFOf(doc);
    if (content === null) continue;
    count += 1;
    reasons.add(new Set(content.reasons), doc._id);
    texts.add({ ...doc, content });
    await totals.add({ ...doc, content });
  }
  return { count, reasons, totals: totals.section(), texts: texts.section() };
}

function about({ _id, content }: Parsed) {
  return { filing: _id, manager: content.managerName, quarter: content.quarterEnd };
}

const filingOf = ({ filing }: { readonly filing: string }): string => filing;

/** Value first; filings that differ in entries alone come after them. */
function declaredTotals(db: Db, limit: number) {
  const counts = { compared: 0, undeclared: 0, entries: 0, values: 0, beyond: 0 };
  const worst = worstOf<ReturnType<typeof comparison>>(
    limit,
    byAmount<ReturnType<typeof comparison>>(({ size }) => size, filingOf),
  );
  return {
    async add(filing: Parsed): Promise<void> {
      const { declaredEntryTotal, declaredValueTotal, reportType } = filing.content;
      if (reportType === 'notice') return;
      if (declaredEntryTotal === null && declaredValueTotal === null) {
        counts.undeclared += 1;
        return;
      }
      const compared = comparison(filing, await parsedValue(db, filing));
      counts.compared += 1;
      if (compared.entries !== 0) counts.entries += 1;
      if (compared.value_usd !== '0') counts.values += 1;
      if (compared.beyond_rounding) counts.beyond += 1;
      if (compared.size > 0n) worst.add(compared);
    },
    section: (): Section => ({
      title: 'Declared against parsed totals',
      about: `${counts.compared} tables compared with their summary pages (parsed minus declared), ${counts.undeclared} declare no total. Entries differ in ${counts.entries}, values in ${counts.values}, beyond rounding in ${counts.beyond}.`,
      rows: worst.found().worst.map(({ size: _, ...row }) => row),
    }),
  };
}

/** What was parsed minus what is declared; 0 of nothing declared. */
function comparison(filing: Parsed, parsed: bigint) {
  const { declaredEntryTotal, declaredValueTotal } = filing.content;
  const count = Number(filing.rows?.count ?? 0);
  const entries = declaredEntryTotal === null ? 0 : count - Number(declaredEntryTotal);
  const difference = declaredValueTotal === null ? 0n : parsed - declaredValueTotal;
  const cents = difference * valueScaleCents(filing.filedDate);
  const size = (cents < 0n ? -cents : cents) * 1_000_000n + BigInt(Math.abs(entries));
  const beyond = difference > BigInt(count) || -difference > BigInt(count);
  return { ...about(filing), entries, value_usd: usd(cents), beyond_rounding: beyond, size };
}

/**
 * The sum of the value column at the filing's own scale. The stored total covers the rows with a CUSIP, so the table is
 * read only where one has none, or where the stored scale is another one.
 */
async function parsedValue(db: Db, { _id, filedDate, content, rows }: Parsed): Promise<bigint> {
  const scale = valueScaleCents(filedDate);
  const isWhole = !content.reasons.includes('cusip_malformed') && content.valueCents % scale === 0n;
  if (isWhole || rows === null) return content.valueCents / scale;
  return (await readRows(db, _id, rows)).reduce((sum, { value }) => sum + value, 0n);
}

function textTables(limit: number) {
  const counts = { high: 0, medium: 0, low: 0 };
  type Row = ReturnType<typeof about> & { readonly confidence: keyof typeof counts };
  const doubt = ({ confidence }: Row): bigint => (confidence === 'low' ? 1n : 0n);
  const worst = worstOf<Row>(limit, byAmount(doubt, filingOf));
  return {
    add(filing: Parsed): void {
      const confidence = filing.content.textConfidence ?? null;
      if (confidence === null) return;
      counts[confidence] += 1;
      if (confidence !== 'high') worst.add({ ...about(filing), confidence });
    },
    section: (): Section => ({
      title: 'Text tables of before 2013',
      about: `In ${counts.high} rows and values add up to the declared totals. In ${counts.medium} only the values do, or nothing is declared. ${counts.low} do not add up.`,
      rows: worst.found().worst,
    }),
  };
}

/** Covers every quarter, because that of an unreadable filing is unknown. */
export async function auditQuarantined(db: Db, limit: number): Promise<Section> {
  const codes = await filingsIn(db)
    .aggregate<{ _id: string; filings: number; example: string; reason: string }>([
      { $match: { state: 'quarantined' } },
      { $sort: { _id: 1 } },
      {
        $group: {
          _id: '$quarantine.code',
          filings: { $sum: 1 },
          example: { $first: '$_id' },
          reason: { $first: '$quarantine.reason' },
        },
      },
      { $sort: { filings: -1, _id: 1 } },
      { $limit: limit },
    ])
    .toArray();
  return {
    title: 'Quarantined filings',
    about: 'Filings of any quarter that could not be read. tidemark failures list shows all of them.',
    rows: codes.map(({ _id, ...row }) => ({ code: _id, ...row, filings: Number(row.filings) })),
  };
}

const SCALES: readonly Reason[] = [
  'value_unit_thousands_after_2023',
  'value_unit_dollars_before_2023',
  'value_unit_unverified',
  'shares_equal_value',
];
type Doubted = { readonly doc: ReportDoc; readonly reason: Reason };

/** One pass over the reports: what each manager says for each quarter, all its filings together. */
export async function auditReports(db: Db, { quarterEnd, limit }: AuditScope) {
  const reasons = tally<Reason>();
  const [scales, others] = [worstOf<Doubted>(limit, byValue), worstOf<Doubted>(limit, byValue)];
  let count = 0;
  for await (const doc of reportsIn(db).find(quarterEnd === null ? {} : { quarterEnd })) {
    count += 1;
    const own = reasonsOfTotals(doc);
    reasons.add(own, doc.newest.accession);
    for (const reason of SCALES) if (own.includes(reason)) scales.add({ doc, reason });
    if (doc.reasons.includes('identical_positions')) others.add({ doc, reason: 'identical_positions' });
  }
  const [scaled, shared] = [scales.found(), others.found()];
  const sections: Section[] = [
    {
      title: 'Scales of values',
      about: `${scaled.total} reports whose values are corrected, contradicted, not checked, or repeated as share counts.`,
      rows: scaled.worst.map(rowOf),
    },
    {
      title: 'Positions of another manager',
      about: `${shared.total} reports that repeat the positions of another manager.`,
      rows: await Promise.all(shared.worst.map((one) => withOther(db, one))),
    },
  ];
  return { count, reasons, sections };
}

const byValue = byAmount<Doubted>(
  ({ doc }) => doc.reportedValueCents,
  ({ doc, reason }) => `${doc.cik}|${doc.quarterEnd}|${reason}`,
);

function rowOf({ doc, reason }: Doubted) {
  const { cik, managerName: manager, quarterEnd: quarter, newest, reportedValueCents } = doc;
  return {
    reason,
    cik,
    manager,
    quarter,
    filing: newest.accession,
    value_usd: usd(BigInt(reportedValueCents)),
  };
}

async function withOther(db: Db, one: Doubted) {
  const { identicalTo } = await findVerdict(db, one.doc);
  return { ...rowOf(one), other_cik: identicalTo };
}
