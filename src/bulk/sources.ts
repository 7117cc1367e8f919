import type { Db } from 'mongodb';
import { priorKeys, remembering, type Sources, storedActions } from '../derive/report/compare.ts';
import { type FoldReads, foldStored } from '../derive/report/stored-report.ts';
import { groupBy } from '../domain/group.ts';
import type { IsoDate } from '../domain/ids.ts';
import { NO_VERDICT } from '../domain/peers/verdict.ts';
import { filingsOfReports, type ReportKey, reportId, reportIdOf } from '../store/filing/filings.ts';
import { readTables } from '../store/filing/rows.ts';
import { verdictsOfQuarter } from '../store/peers/verdicts.ts';

/** What peers say of each quarter, read once for all reports of a unit. */
export type PeersOfUnit = ReturnType<typeof peersOfUnit>;

export function peersOfUnit(db: Db) {
  return {
    actionsOf: remembering(String, (quarterEnd: ReportKey['quarterEnd']) => storedActions(db, quarterEnd)),
    verdictsOf: remembering(String, (quarterEnd: ReportKey['quarterEnd']) =>
      verdictsOfQuarter(db, quarterEnd),
    ),
  };
}

type Of = { readonly asOf: IsoDate; readonly peers: PeersOfUnit };

/** Reads what the comparisons of some reports rest on with a few commands for all of them. */
export async function sourcesOf(db: Db, keys: readonly ReportKey[], { asOf, peers }: Of): Promise<Sources> {
  const found = await filingsOfReports(db, [...keys, ...keys.flatMap(priorKeys)]);
  const visible = found.filter(({ filedDate }) => filedDate <= asOf);
  const filings = groupBy(visible, (filing) => reportIdOf(filing) ?? '');
  const tables = await readTables(
    db,
    visible.flatMap(({ _id, rows }) => (rows === null ? [] : [[_id, rows] as const])),
  );
  const reads: FoldReads = {
    filingsOf: async (key) => filings.get(reportId(key)) ?? [],
    rowsOf: async (accession) => tables.get(accession) ?? [],
    verdictOf: async ({ cik, quarterEnd }) => (await peers.verdictsOf(quarterEnd)).get(cik) ?? NO_VERDICT,
  };
  // Neighbouring quarters of a manager share their folds.
  return { fold: remembering(reportId, (key) => foldStored(db, key, reads)), actionsOf: peers.actionsOf };
}
