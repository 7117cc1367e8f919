import type { Db } from 'mongodb';
import type { EvidenceSource } from '../../domain/brief/input.ts';
import { type Accession, evidenceIdOf13f } from '../../domain/ids.ts';
import { changeQualityOf } from '../../domain/quality/quality.ts';
import {
  equityOf,
  inDisplayOrder,
  optionsOf,
  reportSummary,
  weightsIn,
} from '../../domain/report/holding.ts';
import {
  doubtedFilings,
  type EffectiveReport,
  type PositionChange,
  type ReportChanges,
  type ReportFiling,
} from '../../domain/report/report.ts';
import { reportId } from '../../store/filing/filings.ts';
import { digestOfText, joinedText, listText, requireInt64 } from '../../store/mongo/pack.ts';
import {
  filedDoc,
  filedReport,
  insertFiled,
  type PackedReport,
  packFiled,
} from '../../store/report/filed-reports.ts';
import {
  holdingPages,
  holdingTexts,
  insertHoldings,
  type StoredHolding,
} from '../../store/report/holdings.ts';
import { options, positions, type StoredOption, type StoredPosition } from '../../store/report/positions.ts';
import type { ReportDoc } from '../../store/report/reports.ts';
import type { DigestKey, RowText } from '../../store/report/slices.ts';

/**
 * Everything that is stored of a report and its changes; rows as JSON, which is made once for the digest and for what
 * is stored. The digest is equal for equal content.
 */
export type ReportContent = {
  readonly key: DigestKey;
  readonly fields: ReportFields;
  readonly rowTotal: number;
  /** The rows in display order, a list for each page. */
  readonly pages: readonly string[];
  readonly positions: readonly RowText[];
  readonly options: readonly RowText[];
  readonly filed: PackedReport;
};

/** A report with its changes, the same report without anything that other filers imply, and its filings. */
export type Compared = {
  readonly changes: ReportChanges;
  readonly filed: EffectiveReport;
  readonly evidence: ReadonlyMap<Accession, EvidenceSource>;
};

export function reportContent({ changes, filed, evidence }: Compared): ReportContent {
  const { cik, quarterEnd } = changes.report;
  const equity = inDisplayOrder(equityOf(changes.changes));
  const stored: Texts = {
    pages: holdingTexts(holdingRows(changes, equity)),
    positions: positions.textsOf(storedPositions(changes, equity)),
    options: options.textsOf(storedOptions(changes)),
  };
  const key = { cik, quarterEnd, digest: reportDigest(changes, stored) };
  const fields = reportFields(changes, evidence);
  return { key, fields, rowTotal: equity.length, ...stored, filed: packFiled(filedReport(filed)) };
}

type Texts = Pick<ReportContent, 'pages' | 'positions' | 'options'>;

type ReportFields = Omit<
  ReportDoc,
  | '_id'
  | 'digest'
  | 'previous'
  | 'followersInvalidated'
  | 'version'
  | 'edition'
  | 'filed'
  | 'rowTotal'
  | 'pageCount'
>;

function reportFields(changes: ReportChanges, evidence: Compared['evidence']): ReportFields {
  const { report } = changes;
  const summary = reportSummary(changes);
  const others = movedWith(report);
  requireInt64(reportId(report), [summary.aumCents, summary.reportedValueCents]);
  return {
    cik: report.cik,
    quarterEnd: report.quarterEnd,
    state: report.state,
    reportType: report.reportType,
    managerName: report.managerName,
    filings: [...report.filings],
    evidence: report.filings.flatMap(({ accession }) => evidence.get(accession) ?? []),
    newest: report.newest,
    isAmended: report.isAmended,
    confidentialOmitted: report.confidentialOmitted,
    reportedBy: [...report.reportedBy],
    includes: [...report.includes],
    ...(others.length === 0 ? {} : { movedWith: others }),
    priorQuarterEnd: changes.priorQuarterEnd,
    priorAccessions: priorAccessionsOf(changes),
    comparable: changes.comparable,
    ...summary,
    publishedAt: report.newest.publishedAt,
  };
}

/** Equity rows in display order as they go on the wire. */
export function holdingRows(
  { report, priorDoubted }: Pick<ReportChanges, 'report' | 'priorDoubted'>,
  equity: readonly PositionChange[],
): StoredHolding[] {
  const weightOf = weightsIn(report);
  const doubting = [...doubtedFilings(report), ...priorDoubted];
  return equity.map((change) => ({
    cusip: change.cusip,
    issuer: change.issuer,
    shares: change.amount.toString(),
    value_cents: change.valueCents.toString(),
    change_type: change.change,
    share_delta: change.amountDelta.toString(),
    pct_delta: change.pctDelta,
    prior_shares: change.priorAmount.toString(),
    prior_value_cents: change.priorValueCents.toString(),
    weight_pct: weightOf(change),
    quality: changeQualityOf(change.reasons),
    evidence_ids: evidenceOf(change, doubting),
  }));
}

/** The filings of the row, then those that raised a doubt which it shows. */
function evidenceOf(
  { accessions, priorAccessions, reasons }: PositionChange,
  doubting: readonly ReportFiling[],
) {
  const raised = doubting.filter(({ doubt }) => doubt !== undefined && reasons.includes(doubt));
  const all = [...accessions, ...priorAccessions, ...raised.map(({ accession }) => accession)];
  return [...new Set(all)].map(evidenceIdOf13f);
}

/** Of one list in JSON, put together of the texts that are stored. */
function reportDigest({ report, reasons, priorDoubted }: ReportChanges, stored: Texts): string {
  const filings = report.filings.map((filing) => ({ ...filing, scaleCents: filing.scaleCents.toString() }));
  // These are not in the rows, but the comparison of the next quarter depends on them.
  const cover = [report.reportType, report.confidentialOmitted, report.reportedBy];
  const listed = (rows: readonly RowText[]): string => listText(rows.map(({ json }) => json));
  const texts = [
    ...[report.state, cover, filings, reasons].map((one) => JSON.stringify(one)),
    ...[joinedText(stored.pages), listed(stored.positions)],
    // Without options the digest is the one of earlier releases, and nothing of the report is written again.
    ...(stored.options.length === 0 ? [] : [listed(stored.options)]),
    ...[...movedWith(report), ...priorDoubted.map(({ accession }) => accession)].map((one) =>
      JSON.stringify(one),
    ),
  ];
  return digestOfText(listText(texts));
}

/** The names of the managers between whose reports and this one positions may have moved. */
function movedWith({ moved }: EffectiveReport): string[] {
  return moved.flatMap(({ name, cusips }) => (cusips.length === 0 ? [] : [name]));
}

function storedOptions(changes: ReportChanges): StoredOption[] {
  const chosen = optionsOf(changes.changes);
  return storedPositions(changes, chosen).map((stored, at) => ({
    ...stored,
    putCall: (chosen[at] as (typeof chosen)[number]).putCall,
  }));
}

/** Changes of a report as they are stored. Each field by name: a spread costs ten times as much. */
function storedPositions(changes: ReportChanges, chosen: readonly PositionChange[]): StoredPosition[] {
  if (chosen.length === 0) return [];
  const places = placesOf(changes);
  return chosen.map((change) => ({
    cusip: change.cusip,
    issuer: change.issuer,
    amount: change.amount,
    valueCents: change.valueCents,
    priorAmount: change.priorAmount,
    priorValueCents: change.priorValueCents,
    reasons: change.reasons,
    filing: newestFiling(changes.report, change),
    rowsUsed: change.rowsUsed.map(({ accession, rows }) => ({ filing: places.get(accession) ?? -1, rows })),
    restated: change.restated,
  }));
}

/** The filings of the prior report that some change, or a doubt, comes from. */
function priorAccessionsOf({ changes, priorDoubted }: ReportChanges): Accession[] {
  const accessions = new Set<Accession>();
  for (const change of changes) for (const accession of change.priorAccessions) accessions.add(accession);
  for (const { accession } of priorDoubted) accessions.add(accession);
  return [...accessions];
}

/** Place in `report.filings` of the newest filing that the change comes from (rule 2.8). */
function newestFiling(report: EffectiveReport, change: PositionChange): number {
  const newest = change.accessions.at(-1);
  return report.filings.findIndex((filing) => filing.accession === newest);
}

function placesOf(changes: ReportChanges): ReadonlyMap<Accession, number> {
  const own = changes.report.filings.map(({ accession }) => accession);
  return new Map([...own, ...priorAccessionsOf(changes)].map((accession, place) => [accession, place]));
}

/** A report whose content is written. */
export type Written = Pick<ReportContent, 'key' | 'fields'> & {
  readonly filedDigest: string;
  readonly rowTotal: number;
  readonly pageCount: number;
};

/** Everything that the document of a report points at, as it is stored. */
export function contentDocs({ key, fields, rowTotal, filed, ...texts }: ReportContent) {
  const pages = holdingPages({ _id: reportId(key), digest: key.digest }, texts.pages);
  const written: Written = { key, fields, filedDigest: filed.digest, rowTotal, pageCount: pages.length };
  return {
    written,
    pages,
    positions: positions.docsOf(key, texts.positions),
    options: options.docsOf(key, texts.options),
    filed: filedDoc(key, filed),
  };
}

/** Of several reports together: a command for each would cost more than what it writes. */
export async function insertContents(db: Db, contents: readonly ReturnType<typeof contentDocs>[]) {
  const pages = contents.flatMap((one) => one.pages);
  const shares = contents.flatMap((one) => one.positions);
  const optional = contents.flatMap((one) => one.options);
  const filed = contents.map((one) => one.filed);
  await Promise.all([
    insertHoldings(db, pages),
    positions.insert(db, shares),
    options.insert(db, optional),
    insertFiled(db, filed),
  ]);
}
