import { type Db, MongoServerError } from 'mongodb';
import { type Accession, evidenceIdOf13f } from '../../domain/ids.ts';
import { qualityOf } from '../../domain/quality/quality.ts';
import { equityOf, inDisplayOrder } from '../../domain/report/holding.ts';
import type { EffectiveReport, PositionChange, ReportChanges } from '../../domain/report/report.ts';
import { reportSummary, weightsIn } from '../../domain/report/summary.ts';
import { type ReportKey, reportId } from '../../store/filing/filings.ts';
import { digestOf } from '../../store/mongo/digest.ts';
import { requireInt64 } from '../../store/mongo/int64.ts';
import { dropFiledPositions, filedSummary, writeFiledPositions } from '../../store/report/filed-positions.ts';
import {
  cusipsOfPages,
  dropPages,
  previousPagesOf,
  type StoredHolding,
  writeHoldings,
} from '../../store/report/holdings.ts';
import type { StoredPosition } from '../../store/report/position-pack.ts';
import { dropPositions, writePositions } from '../../store/report/positions.ts';
import { packPositions, priorAccessionsOf, storedPositions } from '../../store/report/report-positions.ts';
import { findReport, type ReportDoc, reportsIn, requireFiled } from '../../store/report/reports.ts';

/**
 * Shows a report and its changes: rows and positions first, then the one document that points at
 * them, if its version is not older than the one that is shown; false when it is. `filed` is the
 * report without anything that other filers tell; left out where they told nothing.
 */
export async function saveReport(
  db: Db,
  changes: ReportChanges,
  version: number,
  filed: EffectiveReport = changes.report,
): Promise<boolean> {
  const key = changes.report;
  const before = await findReport(db, key);
  const filedBefore = before === null ? null : requireFiled(before).digest;
  const equity = inDisplayOrder(equityOf(changes.changes));
  const rows = holdingRows(changes.report, equity);
  const positions = storedPositions(changes, equity);
  const digest = reportDigest(changes, rows, positions);
  const summary = filedSummary(filed);
  const _id = reportId(key);
  const [pageCount] = await Promise.all([
    writeHoldings(db, { _id, digest }, rows),
    writePositions(db, { cik: key.cik, quarterEnd: key.quarterEnd, digest }, positions),
    writeFiledPositions(db, filed, summary.digest),
  ]);
  const doc = {
    _id,
    ...reportDoc(changes, version),
    ...shownBefore(before, digest),
    digest,
    filed: summary,
    rowTotal: rows.length,
    pageCount,
  };
  const saved = await replaceUnlessNewer(db, doc);
  if (!saved || before === null) return saved;
  await dropUnshown(db, before);
  if (filedBefore !== null && filedBefore !== summary.digest) await dropFiledPositions(db, key, filedBefore);
  return saved;
}

/** Notes that every brief of the digest was marked, so that older digests need not be kept. */
export async function noteFollowersInvalidated(
  db: Db,
  report: Pick<ReportDoc, '_id' | 'digest'>,
): Promise<void> {
  await reportsIn(db).updateOne(
    { _id: report._id, digest: report.digest },
    { $set: { followersInvalidated: true } },
  );
}

/** Removes the digests of `before` that are neither shown nor kept any more. */
async function dropUnshown(db: Db, before: ReportDoc): Promise<void> {
  const now = await reportsIn(db).findOne({ _id: before._id });
  if (now === null) return;
  const kept = new Set([now.digest, ...now.previous.map((shown) => shown.digest)]);
  for (const shown of before.previous.filter(({ digest }) => !kept.has(digest))) {
    const pages = previousPagesOf({ _id: before._id, previous: [shown] });
    const cusips = await cusipsOfPages(db, pages);
    await dropPositions(db, { cik: before.cik, quarterEnd: before.quarterEnd, digest: shown.digest }, cusips);
    await dropPages(db, pages);
  }
}

/**
 * What to keep beside the digest: the last one, for readers that are halfway, and every one that
 * was shown without its followers being marked, because briefs may have been built from it.
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

/** Takes a report away that no visible filing supports any more (the as-of date went back). */
export async function withdrawReport(db: Db, key: ReportKey, version: number): Promise<void> {
  await reportsIn(db).deleteOne({ _id: reportId(key), version: { $lte: version } });
}

async function replaceUnlessNewer(db: Db, doc: ReportDoc): Promise<boolean> {
  const { _id, ...rest } = doc;
  try {
    const result = await reportsIn(db).replaceOne({ _id, version: { $lte: doc.version } }, rest, {
      upsert: true,
    });
    return result.matchedCount + result.upsertedCount > 0;
  } catch (error) {
    if (error instanceof MongoServerError && error.code === 11000) return false;
    throw error;
  }
}

function reportDoc(
  changes: ReportChanges,
  version: number,
): Omit<
  ReportDoc,
  '_id' | 'digest' | 'filed' | 'previous' | 'followersInvalidated' | 'rowTotal' | 'pageCount'
> {
  const { report } = changes;
  const summary = reportSummary(changes);
  requireInt64(reportId(report), [summary.aumCents, summary.reportedValueCents]);
  return {
    cik: report.cik,
    quarterEnd: report.quarterEnd,
    version,
    state: report.state,
    reportType: report.reportType,
    managerName: report.managerName,
    filings: [...report.filings],
    newest: report.newest,
    isAmended: report.isAmended,
    confidentialOmitted: report.confidentialOmitted,
    reportedBy: [...report.reportedBy],
    includes: [...report.includes],
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
  positions: readonly StoredPosition[],
): string {
  const filings = report.filings.map((filing) => ({ ...filing, scaleCents: filing.scaleCents.toString() }));
  // Not shown with the rows, but what the next quarter's comparison depends on.
  const cover = [report.reportType, report.confidentialOmitted, report.reportedBy];
  return digestOf([report.state, cover, filings, reasons, rows, packPositions(positions)]);
}
