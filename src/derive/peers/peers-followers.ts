import type { Db } from 'mongodb';
import { readsCorporateActions } from '../../domain/brief/input.ts';
import { quartersAffected } from '../../domain/change/restate.ts';
import { LAST_LANE } from '../../domain/filing/lane.ts';
import type { QuarterEnd, Ticker } from '../../domain/ids.ts';
import { nextQuarterEnd, previousQuarterEnd } from '../../domain/quarter.ts';
import { relatedCusips } from '../../read/holders/security-history.ts';
import { reportId } from '../../store/filing/filings.ts';
import { saveSetting, settingOf } from '../../store/filing/settings.ts';
import { invalidate, invalidateBriefs, restampBriefs } from '../../store/invalidation/invalidate.ts';
import { peerVerdictsIn } from '../../store/peers/corporate-actions.ts';
import { publishedQuarter } from '../../store/publish/corpus.ts';
import { invalidateBoard } from '../../store/publish/leaderboard.ts';
import { type ManagerPosition, options, positions } from '../../store/report/positions.ts';
import { symbolsOfCusips } from '../../store/security/securities.ts';
import { invalidateSearchOfCusips } from '../search/invalidate-search.ts';
import type { Changed, Reach } from './changes.ts';
import { PEERS_METHOD } from './input.ts';

/**
 * Invalidates what other peers of a quarter change: the reports with another verdict, those whose
 * rows a corporate action reaches, and the briefs of the securities, where briefs follow the quarter. The reports
 * of the next quarter follow from these. A change of CUSIP also reaches late reports in the quarters in which it counts.
 */
export async function invalidatePeersFollowers(
  db: Db,
  quarterEnd: QuarterEnd,
  { ciks, cusips, moved }: Changed,
): Promise<{ readonly reports: readonly string[]; readonly tickers: readonly Ticker[] }> {
  const judged = ciks.map((cik) => reportId({ cik, quarterEnd }));
  const reached = await reportsReached(db, quarterEnd, moved);
  const late = await lateReports(db, quarterEnd, moved);
  const reports = [...new Set([...judged, ...reached, ...late])];
  const related = await relatedCusips(db, quarterEnd, cusips);
  const named = await symbolsOfCusips(db, related);
  const tickers = readsCorporateActions(await publishedQuarter(db), quarterEnd) ? named : [];
  await invalidateSearchOfCusips(db, related);
  await invalidate(db, { kind: 'report', lane: LAST_LANE, unmoved: true }, reports);
  await invalidateBriefs(db, tickers);
  await restampBriefs(db, tickers.length === 0 ? named : []);
  if (moved.length > 0) await invalidateBoard(db);
  return { reports, tickers };
}

/** Counts rows of every stored digest: may name too many reports, never too few. */
async function reportsReached(
  db: Db,
  quarterEnd: QuarterEnd,
  moved: Changed['moved'],
  isConcerned = isReached,
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (const [cusip, reach] of new Map(moved)) {
    const rows = await positions.ofSecurity(db, cusip, quarterEnd);
    for (const row of [...rows, ...(await options.ofSecurity(db, cusip, quarterEnd))])
      if (isConcerned(row, reach)) found.add(reportId(row));
  }
  return found;
}

/** Reports of the later quarters that name the old CUSIP of a change, or were restated from it. */
async function lateReports(db: Db, quarterEnd: QuarterEnd, moved: Changed['moved']): Promise<string[]> {
  const renamed = moved.filter(([, reach]) => reach === 'joined' || reach === 'left');
  if (renamed.length === 0) return [];
  const found: string[] = [];
  for (const later of quartersAffected(quarterEnd)) {
    found.push(...(await reportsReached(db, later, renamed, isLate)));
  }
  return found;
}

function isLate({ reasons }: ManagerPosition, reach: Reach | undefined): boolean {
  return reach === 'left' || (reach === 'joined' && reasons.includes('cusip_changed'));
}

function isReached(_: ManagerPosition, reach: Reach | undefined): boolean {
  return reach !== undefined;
}

/**
 * The quarters whose peers a report is an input of: its own, the next one, which is compared with it, and the one
 * before, which may lack a price.
 */
export function peersQuarters(quarterEnd: QuarterEnd): QuarterEnd[] {
  return [previousQuarterEnd(quarterEnd), quarterEnd, nextQuarterEnd(quarterEnd)];
}

const SETTING = 'peers_method';

/** Invalidates every quarter once when its answers were computed by another method: no report changed then. */
export async function followMethod(db: Db): Promise<void> {
  if ((await settingOf(db, SETTING)) === PEERS_METHOD) return;
  const quarters = await peerVerdictsIn(db)
    .find({}, { projection: { _id: 1 } })
    .toArray();
  await invalidate(
    db,
    'peers',
    quarters.map(({ _id }) => _id),
  );
  await saveSetting(db, SETTING, PEERS_METHOD);
}
