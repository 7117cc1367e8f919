import type { Db } from 'mongodb';
import { LAST_LANE } from '../../src/domain/filing/lane.ts';
import type { Cik, QuarterEnd } from '../../src/domain/ids.ts';
import {
  type InvalidationDoc,
  listPending,
  versioningOf,
} from '../../src/store/invalidation/invalidations.ts';
import { findByIds } from '../../src/store/mongo/lists.ts';
import { type PendingReport, reportsIn } from '../../src/store/report/reports.ts';

/** Parts of the managers, each with one job at a time: so many workers may compare history at once. */
const PARTS = 8;

/** Of one unit: some seconds of CPU at most, and some ten megabytes… */
const MAX_REPORTS = 64;
/** …of rows as they were shown last. */
const MAX_ROWS = 25_000;

/** Keys that a unit is chosen from: those of all parts that have waited longest. */
const LISTED = 1_000;

export const REPORT_PARTS: readonly string[] = Array.from({ length: PARTS }, (_, part) => String(part));

/** The part of a pending report. All quarters of a manager are in one, because they share their folds. */
export function partOfReport({ key }: Pick<InvalidationDoc, 'key'>): string {
  return String(Number(key.split('|')[0]) % PARTS);
}

/**
 * Reports of history in a part that are pending, of later quarters first; at least one, however long. `isLast`:
 * no other one was seen.
 */
export async function pendingUnit(db: Db, part: string) {
  const listed = await listPending(db, { kind: 'report', lane: LAST_LANE }, LISTED);
  const own = listed.filter((doc) => partOfReport(doc) === part).map(pendingReport);
  own.sort((a, b) =>
    a.key.quarterEnd < b.key.quarterEnd ? 1 : a.key.quarterEnd > b.key.quarterEnd ? -1 : 0,
  );
  const unit = await withinRows(db, own.slice(0, MAX_REPORTS));
  return { unit, isLast: unit.length === own.length };
}

function pendingReport(doc: InvalidationDoc): PendingReport {
  const [cik, quarterEnd] = doc.key.split('|') as [Cik, QuarterEnd];
  return { ...versioningOf(doc), key: { cik, quarterEnd } };
}

/** The first of the reports that are not too long together. */
async function withinRows(db: Db, reports: readonly PendingReport[]): Promise<PendingReport[]> {
  const ids = reports.map(({ key }) => `${key.cik}|${key.quarterEnd}`);
  const shown = await findByIds(reportsIn(db), ids, { rowTotal: 1 });
  const lengths = new Map(shown.map(({ _id, rowTotal }) => [_id, Number(rowTotal)]));
  let rows = 0;
  return reports.filter((_, at) => {
    rows += lengths.get(ids[at] ?? '') ?? 0;
    return at === 0 || rows <= MAX_ROWS;
  });
}
