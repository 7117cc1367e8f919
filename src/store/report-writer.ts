import { createHash } from 'node:crypto';
import { type Db, MongoServerError } from 'mongodb';
import { aumCents, equityCount, equityOf, excludedTotals, inDisplayOrder } from '../domain/holding.ts';
import { type Accession, evidenceIdOf13f } from '../domain/ids.ts';
import { weightPct } from '../domain/percent.ts';
import { qualityOf, reportQualityOf } from '../domain/quality.ts';
import type { EffectiveReport, PositionChange, ReportChanges } from '../domain/report.ts';
import { type ReportKey, reportId } from './filings.ts';
import { cusipsOfPages, dropPages, previousPagesOf, type StoredHolding, writeHoldings } from './holdings.ts';
import { dropPositions, writePositions } from './positions.ts';
import { findReport, type ReportDoc, reportsIn } from './reports.ts';

export type SavedReport = {
  /** False when a later generation had been saved already: nothing of this one is shown. */
  readonly saved: boolean;
  /** The rows differ from those shown before, so that the next quarter's comparison changes too. */
  readonly changed: boolean;
};

/**
 * Shows a report and its changes: rows and positions first, then the one document that points at
 * them, if its generation is not older than the one that is shown.
 */
export async function saveReport(db: Db, changes: ReportChanges, rev: number): Promise<SavedReport> {
  const key = changes.report;
  const before = await findReport(db, key);
  const equity = inDisplayOrder(equityOf(changes.changes));
  const rows = holdingRows(changes.report, equity);
  const version = versionOf(changes, rows);
  const _id = reportId(key);
  const [pageCount] = await Promise.all([
    writeHoldings(db, { _id, version }, rows),
    writePositions(db, { cik: key.cik, quarterEnd: key.quarterEnd, version }, equity),
  ]);
  const changed = before?.version !== version;
  const doc = {
    ...reportDoc(changes, rev),
    ...shownBefore(before, changed),
    version,
    rowTotal: rows.length,
    pageCount,
  };
  const saved = await replaceUnlessNewer(db, { _id, ...doc });
  if (saved && changed && before !== null) await dropBefore(db, before, version);
  return { saved, changed };
}

/** Removes the version that was shown before the one that `before` showed. */
async function dropBefore(db: Db, before: ReportDoc, version: string): Promise<void> {
  const old = before.previousVersion;
  if (old === null || old === version || old === before.version) return;
  const pages = previousPagesOf(before);
  const cusips = await cusipsOfPages(db, pages);
  await dropPositions(db, { cik: before.cik, quarterEnd: before.quarterEnd, version: old }, cusips);
  await dropPages(db, pages);
}

/** The version to keep for readers that are halfway, and for a repetition after a crash. */
function shownBefore(
  before: ReportDoc | null,
  changed: boolean,
): Pick<ReportDoc, 'previousVersion' | 'previousPageCount'> {
  if (before === null) return { previousVersion: null, previousPageCount: 0 };
  if (changed) return { previousVersion: before.version, previousPageCount: before.pageCount };
  return { previousVersion: before.previousVersion, previousPageCount: before.previousPageCount };
}

/** Takes a report away that no visible filing supports any more (the as-of date went back). */
export async function withdrawReport(db: Db, key: ReportKey, rev: number): Promise<void> {
  await reportsIn(db).deleteOne({ _id: reportId(key), rev: { $lte: rev } });
}

async function replaceUnlessNewer(db: Db, doc: ReportDoc): Promise<boolean> {
  const { _id, ...rest } = doc;
  try {
    const result = await reportsIn(db).replaceOne({ _id, rev: { $lte: doc.rev } }, rest, { upsert: true });
    return result.matchedCount + result.upsertedCount > 0;
  } catch (error) {
    if (error instanceof MongoServerError && error.code === 11000) return false;
    throw error;
  }
}

function reportDoc(
  changes: ReportChanges,
  rev: number,
): Omit<ReportDoc, '_id' | 'version' | 'previousVersion' | 'previousPageCount' | 'rowTotal' | 'pageCount'> {
  const { report } = changes;
  const excluded = excludedTotals(report);
  const reasons = [...new Set([...report.reasons, ...changes.reasons])].sort();
  return {
    cik: report.cik,
    quarterEnd: report.quarterEnd,
    rev,
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
    priorAccessions: [...new Set(changes.changes.flatMap((change) => change.priorAccessions))],
    comparable: changes.comparable,
    quality: reportQualityOf(reasons),
    reasons,
    holdingsCount: equityCount(report),
    aumCents: aumCents(report),
    reportedValueCents: report.positions.reduce((sum, position) => sum + position.valueCents, 0n),
    optionRows: excluded.options.rows,
    optionValueCents: excluded.options.valueCents,
    principalRows: excluded.principal.rows,
    principalValueCents: excluded.principal.valueCents,
    publishedAt: report.newest.publishedAt,
  };
}

/** Equity rows in display order as they go on the wire. Weights are of the equity held. */
export function holdingRows(report: EffectiveReport, equity: readonly PositionChange[]): StoredHolding[] {
  const total = aumCents(report);
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
    weight_pct: weightPct(change.valueCents, total),
    quality: qualityOf(change.reasons),
    evidence_ids: evidenceOf([...change.accessions, ...change.priorAccessions]),
  }));
}

function evidenceOf(accessions: readonly Accession[]): string[] {
  return [...new Set(accessions)].map(evidenceIdOf13f);
}

/** Everything that a reader of the rows can see, so that equal inputs share one version. */
function versionOf(changes: ReportChanges, rows: readonly StoredHolding[]): string {
  const seen = JSON.stringify([changes.report.state, changes.report.filings, changes.reasons, rows]);
  return createHash('sha256').update(seen).digest('hex').slice(0, 24);
}
