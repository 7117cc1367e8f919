import type { Db } from 'mongodb';
import { diffReports } from '../../domain/change/diff.ts';
import { corporateActionsByCusip } from '../../domain/change/restate.ts';
import { predecessorOf } from '../../domain/filing/manager.ts';
import { previousQuarterEnd } from '../../domain/quarter.ts';
import { type ReportKey, reportId } from '../../store/filing/filings.ts';
import { requireAsOf } from '../../store/filing/settings.ts';
import { corporateActionsOfQuarter, earlierChanges } from '../../store/peers/corporate-actions.ts';
import { findReport, type ReportDoc } from '../../store/report/reports.ts';
import { type FoldedReport, foldStored } from './stored-report.ts';
import { saveReport, withdrawReport } from './writer.ts';

/** The report of a manager and quarter from all its filings that are visible; null without any. */
export type Fold = (key: ReportKey) => Promise<FoldedReport | null>;

type Comparison = {
  /** Of the invalidation, read before the filings. */
  readonly version: number;
  /** Reads the stored filings by default. */
  readonly fold?: Fold;
};

/**
 * Folds a manager's quarter, compares it with the quarter before and saves both. Returns the report that
 * it withdrew, because no visible filing supports it any more; null when there was none.
 */
export async function compareReport(
  db: Db,
  key: ReportKey,
  { version, fold }: Comparison,
): Promise<ReportDoc | null> {
  const foldOf = fold ?? (await storedFold(db));
  const [current, before, corporateActions, earlier] = await Promise.all([
    foldOf(key),
    priorReport(key, foldOf),
    corporateActionsOfQuarter(db, key.quarterEnd),
    earlierChanges(db, key.quarterEnd),
  ]);
  if (current !== null) {
    const byCusip = corporateActionsByCusip(corporateActions);
    const changes = diffReports(current.report, before, byCusip, earlier);
    await saveReport(db, changes, version, current.filed);
    return null;
  }
  const shown = await findReport(db, key);
  await withdrawReport(db, key, version);
  return shown;
}

async function storedFold(db: Db): Promise<Fold> {
  const asOf = await requireAsOf(db);
  return (key) => foldStored(db, key, asOf);
}

/** Folds each report once: neighbouring quarters of a manager share their folds. */
export async function rememberingFold(db: Db): Promise<Fold> {
  const fold = await storedFold(db);
  const known = new Map<string, Promise<FoldedReport | null>>();
  return (key) => {
    const folded = known.get(reportId(key)) ?? fold(key);
    known.set(reportId(key), folded);
    return folded;
  };
}

/** The manager's own report of the quarter before, else that of its predecessor (rules 5.1 and 5.7). */
async function priorReport({ cik, quarterEnd }: ReportKey, fold: Fold) {
  const before = previousQuarterEnd(quarterEnd);
  const own = await fold({ cik, quarterEnd: before });
  const predecessor = predecessorOf(cik, quarterEnd);
  if (own !== null || predecessor === null) return own?.report ?? null;
  return (await fold({ cik: predecessor, quarterEnd: before }))?.report ?? null;
}
