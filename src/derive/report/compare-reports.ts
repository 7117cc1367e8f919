import { setImmediate as turn } from 'node:timers/promises';
import type { Db } from 'mongodb';
import { diffReports } from '../../domain/change/diff.ts';
import { LAST_LANE, type Lane } from '../../domain/filing/lane.ts';
import { priorKeys } from '../../domain/filing/manager.ts';
import type { QuarterEnd, Ticker } from '../../domain/ids.ts';
import type { EffectiveReport, ReportChanges } from '../../domain/report/report.ts';
import { type ReportKey, reportId } from '../../store/filing/filings.ts';
import { requireAsOf } from '../../store/filing/settings.ts';
import { settleInvalidations } from '../../store/invalidation/pending.ts';
import { peersAnswers, stillSay } from '../../store/peers/answers.ts';
import { type PendingReport, type ReportDoc, reportsById } from '../../store/report/reports.ts';
import { reportContent } from './content.ts';
import { refreshFunds } from './fund-writer.ts';
import { invalidateReportFollowers } from './report-followers.ts';
import { saveReports, type ToSave } from './save-reports.ts';
import { type Fold, type Sources, sourcesOf } from './sources.ts';
import { withdrawReport } from './writer.ts';

/** What was invalidated. */
type Followers = { readonly reports: readonly string[]; readonly tickers: readonly Ticker[] };

/**
 * Folds the quarters of some managers, compares each with the quarter before, with the peers of both, saves the
 * reports and invalidates what follows. What they share is read, written and invalidated once; each result is the same
 * as if its report was compared alone. A report that was invalidated again, or whose peers changed during the
 * comparison, stays pending. After a crash all are still pending, and every write is repeatable. An error of one report
 * is the error of all.
 */
export async function compareReports(
  db: Db,
  pending: readonly PendingReport[],
  lane: Lane = LAST_LANE,
): Promise<Followers> {
  const keys = pending.map(({ key }) => key);
  const peers = await peersAnswers(db, new Set(keys.map(({ quarterEnd }) => quarterEnd)));
  const sources = await sourcesOf(db, keys, { asOf: await requireAsOf(db), peers });
  const before = await reportsById(db, keys);
  const unsupported: PendingReport[] = [];
  const saved: ToSave[] = [];
  for (const one of pending) {
    const shown = before.get(reportId(one.key)) ?? null;
    const content = await contentOf(one.key, sources);
    if (content === null) unsupported.push(one);
    else saved.push({ ...one, content, before: shown });
    // What is live shares the event loop.
    await turn();
  }
  const { shown, unchanged } = await saveReports(db, saved);
  for (const { key, version } of unsupported) await withdrawReport(db, key, version);
  const left = await reportsById(
    db,
    unsupported.map(({ key }) => key),
  );
  const moved = pending.filter(({ key }) => !unchanged.has(reportId(key)));
  const followers = await follow(db, moved, { shown: new Map([...shown, ...left]), before, lane });
  await settle(db, pending, await stillSay(db, peers));
  return followers;
}

async function contentOf(key: ReportKey, sources: Sources) {
  const compared = await comparedReport(key, sources);
  return compared === null ? null : reportContent(compared.changes, compared.filed);
}

type Saved = {
  /** By id: what is shown since they were saved. */
  readonly shown: ReadonlyMap<string, ReportDoc>;
  readonly before: ReadonlyMap<string, ReportDoc>;
  readonly lane: Lane;
};

async function follow(db: Db, moved: readonly PendingReport[], saved: Saved): Promise<Followers> {
  if (moved.length === 0) return { reports: [], tickers: [] };
  await refreshFunds(db, [...new Set(moved.map(({ key }) => key.cik))]);
  const compared = moved.map(({ key }) => ({
    key,
    report: saved.shown.get(reportId(key)) ?? null,
    before: saved.before.get(reportId(key)) ?? null,
  }));
  return invalidateReportFollowers(db, compared, saved.lane);
}

/** Peers that changed during the comparison may not have found a report yet: then it stays pending. */
async function settle(
  db: Db,
  pending: readonly PendingReport[],
  isSaid: (quarterEnd: QuarterEnd) => boolean,
): Promise<void> {
  const settled = pending.filter(({ key }) => isSaid(key.quarterEnd));
  await settleInvalidations(
    db,
    'report',
    new Map(settled.map(({ key, version }) => [reportId(key), version])),
  );
}

/** A report with its changes, and the same report without anything that other filers imply. */
type Compared = { readonly changes: ReportChanges; readonly filed: EffectiveReport };

/** Compares a manager's quarter with the quarter before. Null when no visible filing supports the report. */
async function comparedReport(key: ReportKey, { fold, peers }: Sources): Promise<Compared | null> {
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
