import { setImmediate as turn } from 'node:timers/promises';
import type { Db } from 'mongodb';
import { diffReports } from '../../domain/change/diff.ts';
import type { InfoTableRow, ThirteenF } from '../../domain/filing/filing.ts';
import { LAST_LANE, type Lane } from '../../domain/filing/lane.ts';
import { priorKeys } from '../../domain/filing/manager.ts';
import { groupBy } from '../../domain/group.ts';
import type { Accession, IsoDate, QuarterEnd, Ticker } from '../../domain/ids.ts';
import { NO_VERDICT, type ReportVerdict } from '../../domain/peers/verdict.ts';
import { foldReport } from '../../domain/report/fold.ts';
import type { EffectiveReport } from '../../domain/report/report.ts';
import { AppError } from '../../errors.ts';
import { evidenceSource } from '../../store/filing/evidence.ts';
import {
  type FilingDoc,
  filingsOfReports,
  type ReportKey,
  reportId,
  reportIdOf,
  thirteenFOf,
} from '../../store/filing/filings.ts';
import { readTables } from '../../store/filing/rows.ts';
import { requireAsOf } from '../../store/filing/settings.ts';
import { settleInvalidations } from '../../store/invalidation/invalidation.ts';
import { type PeersAnswers, peersAnswers, stillSay } from '../../store/peers/answers.ts';
import { raiseQuarterStamps } from '../../store/report/quarter-reports.ts';
import { type PendingReport, type ReportDoc, reportsById, reportsIn } from '../../store/report/reports.ts';
import { listedFactsFor } from '../../store/security/listed.ts';
import { type Compared, reportContent } from './content.ts';
import { refreshFunds } from './fund-writer.ts';
import { invalidateReportFollowers } from './report-followers.ts';
import { saveReports, type ToSave } from './save-reports.ts';

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
  const withdrawn = unsupported.map(({ key }) => key);
  const left = await reportsById(db, withdrawn);
  const moved = pending.filter(({ key }) => !unchanged.has(reportId(key)));
  const followers = await follow(db, moved, { shown: new Map([...shown, ...left]), before, lane });
  await settle(db, pending, await stillSay(db, peers));
  return followers;
}

async function contentOf(key: ReportKey, sources: Sources) {
  const compared = await comparedReport(key, sources);
  return compared === null ? null : reportContent(compared);
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
  const compared = moved.map(({ key, edition }) => {
    const report = saved.shown.get(reportId(key));
    const before = saved.before.get(reportId(key)) ?? null;
    return { key, report: report === undefined ? null : { ...report, edition }, before };
  });
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

/** Compares a manager's quarter with the quarter before. Null when no visible filing supports the report. */
async function comparedReport(key: ReportKey, { fold, peers }: Sources): Promise<Compared | null> {
  const [current, before, actions, earlier] = await Promise.all([
    fold(key),
    priorReport(key, fold),
    peers.actionsOf(key.quarterEnd),
    peers.earlierOf(key.quarterEnd),
  ]);
  if (current === null) return null;
  const { report, ...rest } = current;
  return { changes: diffReports(report, before, actions, earlier), ...rest };
}

/** The manager's own report of the quarter before, else that of its predecessor (rules 5.1 and 5.7). */
async function priorReport(key: ReportKey, fold: Fold): Promise<EffectiveReport | null> {
  for (const prior of priorKeys(key)) {
    const folded = await fold(prior);
    if (folded !== null) return folded.report;
  }
  return null;
}

/** The report of a manager and quarter from all its filings that are visible; null without any. */
type Fold = (key: ReportKey) => Promise<FoldedReport | null>;

/** What a comparison reads. */
export type Sources = { readonly fold: Fold; readonly peers: PeersAnswers };

type Of = { readonly asOf: IsoDate; readonly peers: PeersAnswers };

/**
 * Reads what the comparisons of some reports rest on with a few commands for all of them: everything as it is
 * stored now, of the filings that exist on `asOf`. Throws `rows_missing` (retryable).
 */
export async function sourcesOf(db: Db, keys: readonly ReportKey[], of: Of): Promise<Sources> {
  const reads = await foldReads(db, [...keys, ...keys.flatMap(priorKeys)], of);
  // Neighbouring quarters of a manager share their folds.
  return { fold: remembering(reportId, (key) => foldStored(db, key, reads)), peers: of.peers };
}

/** The same for the folds of the reports alone. */
export async function foldReads(db: Db, keys: readonly ReportKey[], { asOf, peers }: Of): Promise<FoldReads> {
  const found = await filingsOfReports(db, keys);
  const visible = found.filter(({ filedDate }) => filedDate <= asOf);
  const filings = groupBy(visible, (filing) => reportIdOf(filing) ?? '');
  const tables = await readTables(
    db,
    visible.flatMap(({ _id, rows }) => (rows === null ? [] : [[_id, rows] as const])),
  );
  return {
    filingsOf: (key) => filings.get(reportId(key)) ?? [],
    rowsOf: (accession) => tables.get(accession) ?? [],
    verdictOf: peers.verdictOf,
  };
}

/** Computes each answer once. */
function remembering<K, T>(idOf: (key: K) => string, compute: (key: K) => Promise<T>) {
  const known = new Map<string, Promise<T>>();
  return (key: K): Promise<T> => {
    const answer = known.get(idOf(key)) ?? compute(key);
    known.set(idOf(key), answer);
    return answer;
  };
}

/** What a fold reads: together with what other folds read. */
type FoldReads = {
  /** The filings of the report that are visible. */
  readonly filingsOf: (key: ReportKey) => readonly FilingDoc[];
  readonly rowsOf: (accession: Accession) => InfoTableRow[];
  readonly verdictOf: (key: ReportKey) => Promise<ReportVerdict>;
};

/** The parsed 13F of a stored filing, rows included. */
function loadThirteenF(doc: FilingDoc, { rowsOf }: FoldReads): ThirteenF {
  const content = thirteenFOf(doc);
  if (content === null || doc.rows === null) {
    throw new AppError('not_thirteen_f', `${doc._id} is not a parsed 13F`);
  }
  const { holdingsCount: _count, valueCents: _value, reasons: _reasons, ...filing } = content;
  return { ...filing, rows: rowsOf(doc._id) };
}

/** A report with and without peer verdicts; one object when there are none. */
type FoldedReport = Omit<Compared, 'changes'> & { readonly report: EffectiveReport };

/** The effective report of (manager, quarter) from all its filings that are visible. */
export async function foldStored(db: Db, key: ReportKey, reads: FoldReads): Promise<FoldedReport | null> {
  const verdict = await reads.verdictOf(key);
  const docs = reads.filingsOf(key);
  const evidence = new Map(docs.map((doc) => [doc._id, evidenceSource(doc)]));
  const filings = docs.map((doc) => loadThirteenF(doc, reads));
  const cusips = filings.flatMap(({ rows }) => rows.flatMap(({ cusip }) => cusip ?? []));
  const listed = await listedFactsFor(db, key, cusips);
  const filed = foldReport(filings, listed);
  if (filed === null) return null;
  if (verdict === NO_VERDICT) return { report: filed, filed, evidence };
  const report = foldReport(filings, {
    ...listed,
    scales: new Map(verdict.scales.map((scale) => [scale.accession, scale])),
    outliers: new Set(verdict.outliers),
    identicalTo: verdict.identicalTo,
    moved: verdict.moved,
  });
  return { report: report ?? filed, filed, evidence };
}

/** Removes a report that no visible filing supports any more, because the as-of date went back. */
export async function withdrawReport(db: Db, key: ReportKey, version: number): Promise<void> {
  await reportsIn(db).deleteOne({ _id: reportId(key), version: { $lte: version } });
  await raiseQuarterStamps(db, [key.quarterEnd]);
}
