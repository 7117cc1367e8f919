import type { Db } from 'mongodb';
import { readsCorporateActions } from '../../domain/brief/input.ts';
import { windowOf } from '../../domain/brief/insider-leg.ts';
import { quartersAffected } from '../../domain/change/restate.ts';
import { LAST_LANE } from '../../domain/filing/lane.ts';
import {
  type Cik,
  type Cusip,
  type IsoDate,
  issuerOf,
  type QuarterEnd,
  type Ticker,
} from '../../domain/ids.ts';
import { quartersAround, quartersOf } from '../../domain/insider/price.ts';
import { nextQuarterEnd, previousQuarterEnd } from '../../domain/quarter.ts';
import { relatedCusips } from '../../read/holders/security-history.ts';
import { filingsIn, reportId } from '../../store/filing/filings.ts';
import { requireAsOf, saveSetting, settingOf } from '../../store/filing/settings.ts';
import { invalidate, invalidateBriefs, raiseStamps } from '../../store/invalidation/invalidate.ts';
import { findAmong, inLists } from '../../store/mongo/lists.ts';
import { peerVerdictsIn } from '../../store/peers/corporate-actions.ts';
import { publishedQuarter } from '../../store/publish/corpus.ts';
import { invalidateBoard } from '../../store/publish/leaderboard.ts';
import { type ManagerPosition, options, positions } from '../../store/report/positions.ts';
import { securitiesIn, symbolsOfCik, symbolsOfCusips } from '../../store/security/securities.ts';
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
  await raiseStamps(db, 'brief', tickers.length === 0 ? named : []);
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
  const keys = quarters.map(({ _id }) => _id);
  await invalidate(db, 'peers', keys);
  await saveSetting(db, SETTING, PEERS_METHOD);
}

/**
 * Invalidates the briefs whose trades are compared with a changed price. Lists of trades read the prices when they are
 * asked for. Returns the tickers.
 */
export async function invalidatePricedBriefs(
  db: Db,
  quarterEnd: QuarterEnd,
  changed: readonly Cusip[],
): Promise<Ticker[]> {
  if (changed.length === 0) return [];
  const tickers = await tickersPricedBy(db, changed, { quarterEnd, asOf: await requireAsOf(db) });
  await invalidateBriefs(db, tickers, { unmoved: true });
  return tickers;
}

/** Tickers whose briefs compare trades with one of the prices: issuers with a form in the window. */
async function tickersPricedBy(
  db: Db,
  cusips: readonly Cusip[],
  { quarterEnd, asOf }: { readonly quarterEnd: QuarterEnd; readonly asOf: IsoDate },
): Promise<Ticker[]> {
  const window = windowOf(asOf);
  if (!quartersOf(window).flatMap(quartersAround).includes(quarterEnd)) return [];
  const tickers = new Set<Ticker>();
  for (const issuerCik of inLists(await issuersOf(db, cusips))) {
    const recent = await filingsIn(db).distinct('issuerCik', {
      issuerCik,
      filedDate: { $gte: window.start },
    });
    for (const cik of recent) {
      if (cik === null) continue;
      for (const ticker of await symbolsOfCik(db, cik)) tickers.add(ticker);
    }
  }
  return [...tickers].sort();
}

/** The issuers to which any source gave a symbol of the CUSIPs' issuers. */
async function issuersOf(db: Db, cusips: readonly Cusip[]): Promise<Cik[]> {
  const ofCusips = await findAmong(securitiesIn(db), {
    field: 'issuer',
    values: cusips.map(issuerOf),
    projection: { bare: 1 },
  });
  const named = await findAmong(securitiesIn(db), {
    field: 'bare',
    values: ofCusips.map(({ bare }) => bare),
    projection: { cik: 1 },
  });
  return [...new Set(named.flatMap(({ cik }) => cik ?? []))];
}
