import type { Db } from 'mongodb';
import { diffReports } from '../../domain/change/diff.ts';
import { corporateActionsByCusip } from '../../domain/change/restate.ts';
import { predecessorOf } from '../../domain/filing/manager.ts';
import type { QuarterEnd } from '../../domain/ids.ts';
import type { CorporateAction, CusipChange } from '../../domain/peers/verdict.ts';
import { previousQuarterEnd } from '../../domain/quarter.ts';
import type { EffectiveReport, ReportChanges } from '../../domain/report/report.ts';
import type { ReportKey } from '../../store/filing/filings.ts';
import { requireAsOf } from '../../store/filing/settings.ts';
import { corporateActionsOfQuarter, earlierChanges } from '../../store/peers/corporate-actions.ts';
import { findReport, type ReportDoc } from '../../store/report/reports.ts';
import { type FoldedReport, foldStored, storedReads } from './stored-report.ts';
import { saveReport, withdrawReport } from './writer.ts';

/** The report of a manager and quarter from all its filings that are visible; null without any. */
export type Fold = (key: ReportKey) => Promise<FoldedReport | null>;

/** Of a quarter, as its peers prove them, and the earlier changes of CUSIP that are in force in it. */
type Actions = readonly [readonly CorporateAction[], readonly CusipChange[]];

/** What a comparison reads. */
export type Sources = {
  readonly fold: Fold;
  readonly actionsOf: (quarterEnd: QuarterEnd) => Promise<Actions>;
};

/** A report with its changes, and the same report without anything that other filers imply. */
export type Compared = { readonly changes: ReportChanges; readonly filed: EffectiveReport };

/**
 * Folds a manager's quarter, compares it with the quarter before and saves both. Returns the report that
 * it withdrew, because no visible filing supports it any more; null when there was none.
 * @param version of the invalidation, read before the filings
 */
export async function compareReport(db: Db, key: ReportKey, version: number): Promise<ReportDoc | null> {
  const compared = await comparedReport(key, await storedSources(db));
  if (compared !== null) {
    await saveReport(db, compared.changes, version, compared.filed);
    return null;
  }
  const shown = await findReport(db, key);
  await withdrawReport(db, key, version);
  return shown;
}

/** Null when no visible filing supports the report. */
export async function comparedReport(key: ReportKey, { fold, actionsOf }: Sources): Promise<Compared | null> {
  const [current, before, [corporateActions, earlier]] = await Promise.all([
    fold(key),
    priorReport(key, fold),
    actionsOf(key.quarterEnd),
  ]);
  if (current === null) return null;
  const byCusip = corporateActionsByCusip(corporateActions);
  return { changes: diffReports(current.report, before, byCusip, earlier), filed: current.filed };
}

/** Everything as it is stored now. */
export async function storedSources(db: Db): Promise<Sources> {
  const asOf = await requireAsOf(db);
  const reads = storedReads(db, asOf);
  return {
    fold: (key) => foldStored(db, key, reads),
    actionsOf: (quarterEnd) => storedActions(db, quarterEnd),
  };
}

export async function storedActions(db: Db, quarterEnd: QuarterEnd): Promise<Actions> {
  return Promise.all([corporateActionsOfQuarter(db, quarterEnd), earlierChanges(db, quarterEnd)]);
}

/** Computes each answer once. */
export function remembering<K, T>(idOf: (key: K) => string, compute: (key: K) => Promise<T>) {
  const known = new Map<string, Promise<T>>();
  return (key: K): Promise<T> => {
    const answer = known.get(idOf(key)) ?? compute(key);
    known.set(idOf(key), answer);
    return answer;
  };
}

/** The reports that {@link priorReport} may take. */
export function priorKeys({ cik, quarterEnd }: ReportKey): ReportKey[] {
  const before = previousQuarterEnd(quarterEnd);
  const predecessor = predecessorOf(cik, quarterEnd);
  return [cik, ...(predecessor === null ? [] : [predecessor])].map((one) => ({
    cik: one,
    quarterEnd: before,
  }));
}

/** The manager's own report of the quarter before, else that of its predecessor (rules 5.1 and 5.7). */
async function priorReport(key: ReportKey, fold: Fold): Promise<EffectiveReport | null> {
  for (const prior of priorKeys(key)) {
    const folded = await fold(prior);
    if (folded !== null) return folded.report;
  }
  return null;
}
