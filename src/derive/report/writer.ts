import type { Db } from 'mongodb';
import { type Accession, evidenceIdOf13f } from '../../domain/ids.ts';
import { qualityOf } from '../../domain/quality/quality.ts';
import {
  equityOf,
  inDisplayOrder,
  optionsOf,
  reportSummary,
  weightsIn,
} from '../../domain/report/holding.ts';
import type { EffectiveReport, PositionChange, ReportChanges } from '../../domain/report/report.ts';
import { type ReportKey, reportId } from '../../store/filing/filings.ts';
import { digestOf, requireInt64 } from '../../store/mongo/pack.ts';
import { replaceUnlessNewer } from '../../store/mongo/write.ts';
import { dropFiled, filedReport, packFiled, writeFiled } from '../../store/report/filed-reports.ts';
import {
  cusipsOfPages,
  dropPages,
  previousPagesOf,
  type StoredHolding,
  writeHoldings,
} from '../../store/report/holdings.ts';
import { ALL_OPTION_BUCKETS, OPTION, options, type StoredOption } from '../../store/report/options.ts';
import { bucketOf, POSITION, positions, type StoredPosition } from '../../store/report/positions.ts';
import { findReport, type ReportDoc, reportsIn } from '../../store/report/reports.ts';
import { isSealed } from '../../store/report/sealing.ts';

/**
 * Shows a report and its changes: rows and positions first, then the one document that points at
 * them, unless a later version is shown; then it returns false. The only writer of reports (rule 13.5).
 * @param filed the report without anything that other filers imply
 */
export async function saveReport(
  db: Db,
  changes: ReportChanges,
  version: number,
  filed: EffectiveReport = changes.report,
): Promise<boolean> {
  const { cik, quarterEnd } = changes.report;
  const key = { cik, quarterEnd };
  const before = await findReport(db, key);
  const equity = inDisplayOrder(equityOf(changes.changes));
  const rows = holdingRows(changes.report, equity);
  const stored = { positions: storedPositions(changes, equity), options: storedOptions(changes) };
  const digest = reportDigest(changes, rows, stored);
  const packed = packFiled(filedReport(filed));
  const _id = reportId(key);
  const [pageCount] = await Promise.all([
    writeHoldings(db, { _id, digest }, rows),
    // Those of the digest shown are in the segments of a sealed quarter.
    before?.digest === digest && (await isSealed(db, quarterEnd))
      ? null
      : positions.write(db, { ...key, digest }, stored.positions),
    options.write(db, { ...key, digest }, stored.options),
    writeFiled(db, { ...key, digest: packed.digest }, packed),
  ]);
  const doc: ReportDoc = {
    _id,
    ...reportFields(changes),
    ...shownBefore(before, digest),
    version,
    digest,
    filed: filedBefore(before, packed.digest),
    rowTotal: rows.length,
    pageCount,
  };
  const saved = await replaceUnlessNewer(reportsIn(db), doc);
  if (saved && before !== null) await dropUnshown(db, before);
  return saved;
}

/** Notes that everything that follows from these rows was invalidated, so that older rows need not be kept. */
export async function noteFollowersInvalidated(db: Db, { _id, digest, filed }: ReportDoc) {
  const done = { followersInvalidated: true, 'filed.followersInvalidated': true };
  await reportsIn(db).updateOne({ _id, digest, 'filed.digest': filed.digest }, { $set: done });
}

/** Removes the rows of `before` that are neither shown nor kept any more. */
async function dropUnshown(db: Db, before: ReportDoc): Promise<void> {
  const now = await reportsIn(db).findOne({ _id: before._id });
  if (now === null) return;
  const { cik, quarterEnd } = before;
  const kept = new Set([now.digest, ...now.previous.map((shown) => shown.digest)]);
  for (const shown of before.previous.filter(({ digest }) => !kept.has(digest))) {
    const pages = previousPagesOf({ _id: before._id, previous: [shown] });
    const cusips = await cusipsOfPages(db, pages);
    const key = { cik, quarterEnd, digest: shown.digest };
    await positions.drop(db, key, cusips.map(bucketOf));
    await options.drop(db, key, ALL_OPTION_BUCKETS);
    await dropPages(db, pages);
  }
  const { digest } = before.filed;
  if (digest !== now.filed.digest) await dropFiled(db, { cik, quarterEnd, digest });
}

/**
 * The rows to keep in addition to the current digest: the last ones, for readers that are halfway, and all that were
 * shown without their followers being invalidated, because briefs may have been built from them.
 */
function shownBefore(
  before: ReportDoc | null,
  digest: string,
): Pick<ReportDoc, 'previous' | 'followersInvalidated'> {
  if (before === null) return { previous: [], followersInvalidated: false };
  const { previous, followersInvalidated } = before;
  if (before.digest === digest) return { previous, followersInvalidated };
  const last = { digest: before.digest, pageCount: before.pageCount };
  const kept = followersInvalidated ? [] : previous.filter((shown) => shown.digest !== digest);
  return { previous: [...kept, last], followersInvalidated: false };
}

/** Whether the peers were invalidated is known only of the same report as filed. */
function filedBefore(before: ReportDoc | null, digest: string): ReportDoc['filed'] {
  return before?.filed.digest === digest ? before.filed : { digest, followersInvalidated: false };
}

/** Removes a report that no visible filing supports any more, because the as-of date went back. */
export async function withdrawReport(db: Db, key: ReportKey, version: number): Promise<void> {
  await reportsIn(db).deleteOne({ _id: reportId(key), version: { $lte: version } });
}

function reportFields(changes: ReportChanges) {
  const { report } = changes;
  const summary = reportSummary(changes);
  requireInt64(reportId(report), [summary.aumCents, summary.reportedValueCents]);
  return {
    cik: report.cik,
    quarterEnd: report.quarterEnd,
    state: report.state,
    reportType: report.reportType,
    managerName: report.managerName,
    filings: [...report.filings],
    newest: report.newest,
    isAmended: report.isAmended,
    confidentialOmitted: report.confidentialOmitted,
    reportedBy: [...report.reportedBy],
    includes: [...report.includes],
    ...(report.moved.length === 0 ? {} : { movedWith: movedWith(report) }),
    priorQuarterEnd: changes.priorQuarterEnd,
    priorAccessions: priorAccessionsOf(changes),
    comparable: changes.comparable,
    ...summary,
    publishedAt: report.newest.publishedAt,
  };
}

/** Equity rows in display order as they go on the wire. */
export function holdingRows(report: EffectiveReport, equity: readonly PositionChange[]): StoredHolding[] {
  const weightOf = weightsIn(report);
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
    quality: qualityOf(change.reasons),
    evidence_ids: evidenceOf([...change.accessions, ...change.priorAccessions]),
  }));
}

function evidenceOf(accessions: readonly Accession[]): string[] {
  return [...new Set(accessions)].map(evidenceIdOf13f);
}

function reportDigest(
  { report, reasons }: ReportChanges,
  rows: readonly StoredHolding[],
  stored: { readonly positions: readonly StoredPosition[]; readonly options: readonly StoredOption[] },
): string {
  const filings = report.filings.map((filing) => ({ ...filing, scaleCents: filing.scaleCents.toString() }));
  // These are not in the rows, but the comparison of the next quarter depends on them.
  const cover = [report.reportType, report.confidentialOmitted, report.reportedBy];
  const positions = stored.positions.map(POSITION.encode);
  // Without options the digest is the one of earlier releases, and nothing of the report is written again.
  const options = stored.options.length === 0 ? [] : [stored.options.map(OPTION.encode)];
  return digestOf([report.state, cover, filings, reasons, rows, positions, ...options, ...movedWith(report)]);
}

/** The names of the managers between whose reports and this one positions may have moved. */
function movedWith({ moved }: EffectiveReport): string[] {
  return moved.map(({ name }) => name);
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

/** The filings of the prior report that some change comes from. */
function priorAccessionsOf({ changes }: ReportChanges): Accession[] {
  return [...new Set(changes.flatMap((change) => change.priorAccessions))];
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
