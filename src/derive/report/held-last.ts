import type { Db } from 'mongodb';
import { batches } from '../../domain/group.ts';
import type { Cik, Cusip, QuarterEnd } from '../../domain/ids.ts';
import { reportKeyOf } from '../../store/filing/filings.ts';
import { cusipsByPage, pagesOf, previousPagesOf } from '../../store/report/holdings.ts';
import { type ListedReport, reportsOfFunds } from '../../store/report/reports.ts';

/** Their reports of all quarters are in memory, without rows. */
const MANAGERS_TOGETHER = 64;

/**
 * The securities that managers without a report of `latest` held by their last table, or by the table that was last
 * before these reports were imported. A brief says since when such holders are behind, however long ago.
 */
export async function securitiesHeldLast(
  db: Db,
  imported: ReadonlySet<string>,
  latest: QuarterEnd,
): Promise<Cusip[]> {
  const ciks = new Set<Cik>();
  for (const id of imported) ciks.add(reportKeyOf(id).cik);
  const held = new Set<Cusip>();
  for (const batch of batches([...ciks], MANAGERS_TOGETHER)) {
    for (const reports of (await reportsOfFunds(db, batch)).values()) {
      for (const cusip of await cusipsIn(db, countedBy(reports, imported, latest))) held.add(cusip);
    }
  }
  return [...held];
}

/** Of all rows that the reports show or showed. */
async function cusipsIn(db: Db, reports: readonly ListedReport[]): Promise<Cusip[]> {
  const pages = reports.flatMap((report) => [...pagesOf(report), ...previousPagesOf(report)]);
  return [...(await cusipsByPage(db, pages)).values()].flat();
}

/**
 * Those of a manager's reports by which it may count now, or did before the import: none older than its last
 * whole table that was there before. None where none of them was imported.
 * @param reports the latest first
 */
function countedBy(
  reports: readonly ListedReport[],
  imported: ReadonlySet<string>,
  latest: QuarterEnd,
): ListedReport[] {
  const [newest] = reports;
  if (newest === undefined || newest.quarterEnd >= latest) return [];
  const known = reports.find(({ _id, state }) => state === 'holdings' && !imported.has(_id));
  const counted = reports.filter(({ quarterEnd }) => quarterEnd >= (known?.quarterEnd ?? ''));
  return counted.some(({ _id }) => imported.has(_id)) ? counted : [];
}
