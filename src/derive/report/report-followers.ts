import type { Db } from 'mongodb';
import { readsReports } from '../../domain/brief/input.ts';
import { LAST_LANE, type Lane } from '../../domain/filing/lane.ts';
import { SUCCESSIONS } from '../../domain/filing/manager.ts';
import { groupBy } from '../../domain/group.ts';
import type { Ticker } from '../../domain/ids.ts';
import { nextQuarterEnd } from '../../domain/quarter.ts';
import { cusipCheckDigitOk, misprintsOf } from '../../domain/security/cusip.ts';
import { relatedCusips } from '../../read/holders/security-history.ts';
import { filingsOfReports, type ReportKey, reportId, reportIdOf } from '../../store/filing/filings.ts';
import { invalidate, invalidateBriefs, restampBriefs } from '../../store/invalidation/invalidate.ts';
import { publishedQuarter, republishCorpus } from '../../store/publish/corpus.ts';
import { invalidateBoard } from '../../store/publish/leaderboard.ts';
import { noteHeld } from '../../store/report/holdings.ts';
import { raiseQuarterStamps } from '../../store/report/quarter-reports.ts';
import { symbolsOfCusips } from '../../store/security/securities.ts';
import { peersQuarters } from '../peers/peers-followers.ts';
import { invalidateSearchOfReports } from '../search/invalidate-search.ts';
import { type ComparedReport, type Touched, touchedSecurities } from './touched-securities.ts';
import { noteFollowersInvalidated } from './writer.ts';

/**
 * Invalidates what saved reports change, once for all of them: the comparisons of the next quarter, where one
 * was filed; the peers of the quarters around them; the leaderboard; the search; and the briefs that may read them,
 * of every security in the rows shown now, shown before, and in the reports that the manager counted by. That is
 * more than needed: a brief built twice is the same brief. Where a report is left no more, the corpus is published
 * again, because a crash may have lost `withdrawn`. Reports and briefs follow in the lane of the reports.
 */
export async function invalidateReportFollowers(
  db: Db,
  compared: readonly ComparedReport[],
  lane: Lane = LAST_LANE,
) {
  // Also where another worker saved them and died: who follows a report must not find an older list of its quarter.
  await raiseQuarterStamps(
    db,
    compared.map(({ key }) => key.quarterEnd),
  );
  // Without this a change of 1999 would walk through every quarter since.
  const moved = compared.filter(({ report }) => report?.followersInvalidated !== true);
  const reports = (await comparedWith(db, keysOf(moved))).map(reportId);
  await invalidate(db, { kind: 'report', lane, unmoved: true }, reports);
  // Another verdict, or another report before it, leaves the report as filed: peers need no second look.
  const filed = compared.filter(({ report }) => report?.filed.followersInvalidated !== true);
  const quarters = new Set(keysOf(filed).flatMap(({ quarterEnd }) => peersQuarters(quarterEnd)));
  await invalidate(db, 'peers', [...quarters]);
  const touched = await touchedSecurities(db, compared);
  await noteHeld(db, [...new Set(touched.flatMap(({ cusips, options: named }) => [...cusips, ...named]))]);
  const tickers = await invalidateBriefsOf(db, touched, lane);
  await invalidateBoard(db);
  await invalidateSearchOfReports(db, touched);
  if (compared.some(({ report }) => report === null)) await republishCorpus(db);
  await noteFollowersInvalidated(
    db,
    compared.flatMap(({ report }) => report ?? []),
  );
  return { reports, tickers };
}

/** No brief says anything of a report before those that it reads, unless it is its manager's last one (rule 13.7). */
async function invalidateBriefsOf(db: Db, touched: readonly Touched[], lane: Lane): Promise<Ticker[]> {
  const latest = await publishedQuarter(db);
  const isRead = ({ key, isPast }: Touched): boolean => !isPast || readsReports(latest, key.quarterEnd);
  const tickers = await tickersOf(db, touched.filter(isRead));
  await invalidateBriefs(db, tickers, { lane });
  const past = touched.filter((one) => !isRead(one));
  await restampBriefs(db, await tickersOf(db, past));
  return tickers;
}

const keysOf = (compared: readonly ComparedReport[]): ReportKey[] => compared.map(({ key }) => key);

/**
 * By the quarter: what filers said until then decides which CUSIPs are one security. A misprint may be of any that it
 * resembles.
 */
async function tickersOf(db: Db, touched: readonly Touched[]): Promise<Ticker[]> {
  const tickers = new Set<Ticker>();
  for (const [quarterEnd, own] of groupBy(touched, ({ key }) => key.quarterEnd)) {
    const named = own.flatMap(({ cusips, options: optional }) => [...cusips, ...optional]);
    const mistyped = own.flatMap(({ cusips }) => cusips.filter((cusip) => !cusipCheckDigitOk(cusip)));
    const all = new Set([...named, ...mistyped.flatMap(misprintsOf)]);
    const related = await relatedCusips(db, quarterEnd, [...all]);
    for (const ticker of await symbolsOfCusips(db, related)) tickers.add(ticker);
  }
  return [...tickers];
}

/** The reports that were filed and whose prior report is, or may be, one of these (rule 5.1). */
async function comparedWith(db: Db, keys: readonly ReportKey[]): Promise<ReportKey[]> {
  const next = keys.flatMap(nextKeys);
  const found = await filingsOfReports(db, next, { cik: 1, 'content.kind': 1, 'content.quarterEnd': 1 });
  const filed = new Set(found.map(reportIdOf));
  return next.filter((key) => filed.has(reportId(key)));
}

function nextKeys({ cik, quarterEnd }: ReportKey): ReportKey[] {
  const next = nextQuarterEnd(quarterEnd);
  const successors = SUCCESSIONS.filter(
    ({ predecessor, firstQuarterEnds }) => predecessor === cik && firstQuarterEnds.includes(next),
  );
  return [cik, ...successors.map((one) => one.cik)].map((one) => ({ cik: one, quarterEnd: next }));
}
