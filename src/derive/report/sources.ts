import type { Db } from 'mongodb';
import { priorKeys } from '../../domain/filing/manager.ts';
import { groupBy } from '../../domain/group.ts';
import type { IsoDate } from '../../domain/ids.ts';
import { filingsOfReports, type ReportKey, reportId, reportIdOf } from '../../store/filing/filings.ts';
import { readTables } from '../../store/filing/rows.ts';
import type { PeersAnswers } from '../../store/peers/answers.ts';
import { type FoldedReport, type FoldReads, foldStored } from './stored-report.ts';

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
