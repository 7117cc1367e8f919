import { diffReports } from '../../domain/change/diff.ts';
import { priorKeys } from '../../domain/filing/manager.ts';
import type { EffectiveReport, ReportChanges } from '../../domain/report/report.ts';
import type { ReportKey } from '../../store/filing/filings.ts';
import type { PeersAnswers } from '../../store/peers/answers.ts';
import type { FoldedReport } from './stored-report.ts';

/** The report of a manager and quarter from all its filings that are visible; null without any. */
export type Fold = (key: ReportKey) => Promise<FoldedReport | null>;

/** What a comparison reads. */
export type Sources = { readonly fold: Fold; readonly peers: PeersAnswers };

/** A report with its changes, and the same report without anything that other filers imply. */
export type Compared = { readonly changes: ReportChanges; readonly filed: EffectiveReport };

/** Compares a manager's quarter with the quarter before. Null when no visible filing supports the report. */
export async function comparedReport(key: ReportKey, { fold, peers }: Sources): Promise<Compared | null> {
  const [current, before, actions, earlier] = await Promise.all([
    fold(key),
    priorReport(key, fold),
    peers.actionsOf(key.quarterEnd),
    peers.earlierOf(key.quarterEnd),
  ]);
  if (current === null) return null;
  return { changes: diffReports(current.report, before, actions, earlier), filed: current.filed };
}

/** The manager's own report of the quarter before, else that of its predecessor (rules 5.1 and 5.7). */
async function priorReport(key: ReportKey, fold: Fold): Promise<EffectiveReport | null> {
  for (const prior of priorKeys(key)) {
    const folded = await fold(prior);
    if (folded !== null) return folded.report;
  }
  return null;
}
