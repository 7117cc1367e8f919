import type { Db } from 'mongodb';
import { compare } from '../../src/domain/compare.ts';
import { LAST_LANE } from '../../src/domain/filing/lane.ts';
import { priorKeys } from '../../src/domain/filing/manager.ts';
import type { Cik, QuarterEnd } from '../../src/domain/ids.ts';
import { filingsOfReports, type ReportKey, reportId, reportIdOf } from '../../src/store/filing/filings.ts';
import { type InvalidationDoc, versioningOf } from '../../src/store/invalidation/invalidation.ts';
import { listPending } from '../../src/store/invalidation/pending.ts';
import type { PendingReport } from '../../src/store/report/reports.ts';

/** Parts of the managers, each with one job at a time: so many workers may compare history at once. */
const PARTS = 8;

/** Of one unit: some seconds of CPU at most… */
const MAX_REPORTS = 64;
/** …and of memory, with all that is computed of them: rows as filed, those of the quarter before included. */
const MAX_ROWS = 20_000;

/** Keys that a unit is chosen from: those of all parts that have waited longest. */
const LISTED = 1_000;

export const REPORT_PARTS: readonly string[] = Array.from({ length: PARTS }, (_, part) => String(part));

/** The part of a pending report. All quarters of a manager are in one, because they share their folds. */
export function partOfReport({ key }: Pick<InvalidationDoc, 'key'>): string {
  return String(Number(key.split('|')[0]) % PARTS);
}

/**
 * The reports of history in a part that have waited longest, of later quarters first; at least one, however long.
 * Those that failed went to the back, so they keep no other from its turn. `isLast`: no other one was seen.
 */
export async function pendingUnit(db: Db, part: string) {
  const listed = await listPending(db, { kind: 'report', lane: LAST_LANE }, LISTED);
  const own = listed.filter((doc) => partOfReport(doc) === part).map(pendingReport);
  const chosen = await withinRows(db, own.slice(0, MAX_REPORTS));
  const unit = [...chosen].sort((a, b) => compare(b.key.quarterEnd, a.key.quarterEnd));
  return { unit, isLast: unit.length === own.length };
}

function pendingReport(doc: InvalidationDoc): PendingReport {
  const [cik, quarterEnd] = doc.key.split('|') as [Cik, QuarterEnd];
  return { ...versioningOf(doc), key: { cik, quarterEnd } };
}

/** The first of the reports that are not too long together with the reports before them. */
async function withinRows(db: Db, reports: readonly PendingReport[]): Promise<PendingReport[]> {
  const reads = reports.map(({ key }) => [key, ...priorKeys(key)]);
  const lengths = await rowsFiled(db, reads.flat());
  let rows = 0;
  return reports.filter((_, at) => {
    for (const id of (reads[at] ?? []).map(reportId)) {
      rows += lengths.get(id) ?? 0;
      // A table is read once.
      lengths.delete(id);
    }
    return at === 0 || rows <= MAX_ROWS;
  });
}

/** The rows in all filings of each report, by its id. */
async function rowsFiled(db: Db, keys: readonly ReportKey[]): Promise<Map<string, number>> {
  const fields = { cik: 1, 'content.kind': 1, 'content.quarterEnd': 1, 'rows.count': 1 };
  const lengths = new Map<string, number>();
  for (const filing of await filingsOfReports(db, keys, fields)) {
    const id = reportIdOf(filing) ?? '';
    lengths.set(id, (lengths.get(id) ?? 0) + Number(filing.rows?.count ?? 0));
  }
  return lengths;
}
