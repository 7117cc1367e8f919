import type { Db } from 'mongodb';
import { readsReports } from '../../domain/brief/input.ts';
import { batches } from '../../domain/group.ts';
import type { Cik, Cusip, QuarterEnd } from '../../domain/ids.ts';
import { relatedCusips } from '../../read/holders/security-history.ts';
import type { Followers } from '../../store/filing/data-sets.ts';
import { reportKeyOf } from '../../store/filing/filings.ts';
import { invalidate, invalidateBriefs } from '../../store/invalidation/invalidate.ts';
import { restampBriefs } from '../../store/invalidation/stamps.ts';
import { publishedQuarter } from '../../store/publish/corpus.ts';
import { invalidateBoard } from '../../store/publish/leaderboard.ts';
import { SEARCH_PARTS, SECURITY_PARTS } from '../../store/publish/search-index.ts';
import { cusipsByPage, heldCusips, pagesOf, previousPagesOf } from '../../store/report/holdings.ts';
import { raiseQuarterStamps } from '../../store/report/quarter-stamps.ts';
import { type ListedReport, reportsIn, reportsOfFunds } from '../../store/report/reports.ts';
import { symbolsOfCiks, symbolsOfCusips } from '../../store/security/securities.ts';

const BATCH = 500;
const FOLLOWED = { followersInvalidated: true, 'filed.followersInvalidated': true };

/**
 * Invalidates what follows from all imported filings together: each quarter, part and ticker once. A quarter
 * of all managers touches every security that is held, so nothing is gained by telling them apart. Briefs follow
 * from quarters that they read, and from what their managers that stopped reporting held last (rule 13.7).
 */
export async function invalidateImported(db: Db, followers: readonly Followers[]): Promise<void> {
  const all = (of: (one: Followers) => readonly string[]): string[] =>
    [...new Set(followers.flatMap(of))].sort();
  const holders = all((one) => one.holders);
  const issuers = [...new Set(followers.flatMap((one) => one.issuers))].sort();
  // Also where a worker saved one of them since and died: who follows a report must not find an older list.
  await raiseQuarterStamps(db, holders as QuarterEnd[]);
  await invalidate(
    db,
    'peers',
    all((one) => one.peers),
  );
  await invalidateBriefs(db, await symbolsOfCiks(db, issuers));
  await invalidateBriefsHeld(db, followers, holders as QuarterEnd[]);
  await invalidate(db, 'insider', issuers);
  if (holders.length > 0) await invalidateBoard(db);
  await invalidate(
    db,
    'holders',
    holders.flatMap((quarter) => SECURITY_PARTS.map((part) => `${part}|${quarter}`)),
  );
  await invalidate(db, 'search', SEARCH_PARTS);
  for (const batch of batches(
    followers.flatMap(({ reports }) => reports),
    BATCH,
  )) {
    await reportsIn(db).bulkWrite(
      batch.map(([_id, digest]) => ({
        updateOne: { filter: { _id, digest }, update: { $set: FOLLOWED } },
      })),
      { ordered: false },
    );
  }
}

async function invalidateBriefsHeld(
  db: Db,
  followers: readonly Followers[],
  quarters: readonly QuarterEnd[],
): Promise<void> {
  const [newest] = quarters.slice(-1);
  if (newest === undefined) return;
  const tickersOf = async (cusips: readonly Cusip[]): Promise<readonly string[]> =>
    symbolsOfCusips(db, await relatedCusips(db, newest, cusips));
  const held = await tickersOf(await heldCusips(db));
  const latest = await publishedQuarter(db);
  if (latest === null || readsReports(latest, newest)) return invalidateBriefs(db, held);
  const reports = new Set(followers.flatMap((one) => one.reports.map(([id]) => id)));
  await invalidateBriefs(db, await tickersOf(await securitiesHeldLast(db, reports, latest)));
  await restampBriefs(db, held);
}

/** Their reports of all quarters are in memory, without rows. */
const MANAGERS_TOGETHER = 64;

/**
 * The securities that managers without a report of `latest` held by their last table, or by the table that was last
 * before these reports were imported. A brief says since when such holders are behind, however long ago.
 */
async function securitiesHeldLast(
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
