import type { Db } from 'mongodb';
import type { InfoTableRow, ThirteenF } from '../../domain/filing/filing.ts';
import { priorKeys } from '../../domain/filing/manager.ts';
import { groupBy } from '../../domain/group.ts';
import type { Accession, IsoDate } from '../../domain/ids.ts';
import { NO_VERDICT, type ReportVerdict } from '../../domain/peers/verdict.ts';
import { foldReport } from '../../domain/report/fold.ts';
import type { EffectiveReport } from '../../domain/report/report.ts';
import { AppError } from '../../errors.ts';
import {
  type FilingDoc,
  filingsOfReports,
  type ReportKey,
  reportId,
  reportIdOf,
  thirteenFOf,
} from '../../store/filing/filings.ts';
import { readTables } from '../../store/filing/rows.ts';
import type { PeersAnswers } from '../../store/peers/answers.ts';
import { listedFactsFor } from '../../store/security/listed.ts';

/** The report of a manager and quarter from all its filings that are visible; null without any. */
export type Fold = (key: ReportKey) => Promise<FoldedReport | null>;

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
type FoldedReport = { readonly report: EffectiveReport; readonly filed: EffectiveReport };

/** The effective report of (manager, quarter) from all its filings that are visible. */
export async function foldStored(db: Db, key: ReportKey, reads: FoldReads): Promise<FoldedReport | null> {
  const verdict = await reads.verdictOf(key);
  const filings = reads.filingsOf(key).map((doc) => loadThirteenF(doc, reads));
  const cusips = filings.flatMap(({ rows }) => rows.flatMap(({ cusip }) => cusip ?? []));
  const listed = await listedFactsFor(db, key, cusips);
  const filed = foldReport(filings, listed);
  if (filed === null) return null;
  if (verdict === NO_VERDICT) return { report: filed, filed };
  const report = foldReport(filings, {
    ...listed,
    scales: new Map(verdict.scales.map((scale) => [scale.accession, scale])),
    outliers: new Set(verdict.outliers),
    identicalTo: verdict.identicalTo,
    moved: verdict.moved,
  });
  return { report: report ?? filed, filed };
}
