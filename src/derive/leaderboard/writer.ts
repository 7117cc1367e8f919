import type { Db } from 'mongodb';
import { newestDueQuarter } from '../../domain/calendar.ts';
import type { Cik, QuarterEnd } from '../../domain/ids.ts';
import { METHOD_VERSION } from '../../domain/leaderboard/method.ts';
import { seriesBuilder } from '../../domain/leaderboard/quarter-series.ts';
import { leaderboardsOf } from '../../domain/leaderboard/rank.ts';
import { LAG_QUARTERS, WINDOW_MAX, WINDOW_MIN } from '../../domain/leaderboard/thresholds.ts';
import { quartersThrough } from '../../domain/quarter.ts';
import { digestOf, pack } from '../../store/mongo/pack.ts';
import { replaceUnlessNewer } from '../../store/mongo/write.ts';
import { type SeriesDigests, storedSeries } from '../../store/publish/board-series.ts';
import {
  type BoardDoc,
  type BoardDue,
  boardIn,
  boardInMotion,
  boardList,
  boardPages,
  pagesOfWindow,
  type StoredWindow,
  windowsOf,
} from '../../store/publish/leaderboard.ts';
import { quarterStamps } from '../../store/report/quarter-stamps.ts';
import { type Named, namesOfManagers } from './names.ts';
import { refreshSeries } from './series.ts';

/**
 * Shows every window as of the day, and computes only those of which anything changed (rule 9.5). Pages are
 * written under the digest of their leaders, then the one document that points at them.
 * @param at when it is computed, ISO 8601 UTC
 */
export async function refreshLeaderboard(db: Db, due: BoardDue, at: string): Promise<void> {
  const before = await boardIn(db).findOne({ _id: 'leaderboard' });
  const latest = newestDueQuarter(due.asOf);
  const quarters = await reportedFrom(db, quartersThrough(latest, WINDOW_MAX + LAG_QUARTERS));
  const ranked = await rankedFrom(db, latest, await refreshSeries(db, quarters, due.asOf));
  const shown = await shownWindows(db, before);
  const wanted = Array.from({ length: WINDOW_MAX - WINDOW_MIN + 1 }, (_, at) =>
    wantedOf(WINDOW_MIN + at, ranked),
  );
  const computed = await computeWindows(
    db,
    wanted.filter(({ inputs }) => !shown.has(inputs)),
    ranked,
  );
  const windows = wanted.flatMap(({ inputs }) => shown.get(inputs) ?? computed.get(inputs) ?? []);
  await showBoard(db, windows, { due: { ...due, at }, before });
}

/** The quarters from the first one with a report on: those before it add nothing. */
async function reportedFrom(db: Db, quarters: readonly QuarterEnd[]): Promise<readonly QuarterEnd[]> {
  const stamps = await quarterStamps(db, quarters);
  const first = quarters.findIndex((quarter) => stamps.has(quarter));
  return first === -1 ? [] : quarters.slice(first);
}

/** By their inputs. Those without a page that a crash or a restored copy lost are left out. */
async function shownWindows(db: Db, board: BoardDoc | null) {
  const windows = windowsOf(board);
  const pages = await boardPages.existing(db, windows.flatMap(pagesOfWindow));
  const whole = windows.filter((window) => pagesOfWindow(window).every((page) => pages.has(page)));
  return new Map(whole.map((window) => [window.inputs, window]));
}

/** What the windows are ranked from. */
type Ranked = {
  readonly latest: QuarterEnd;
  /** Oldest first. */
  readonly series: SeriesDigests;
  /** Of the managers that can be ranked, in order of CIK. */
  readonly names: ReadonlyMap<Cik, Named>;
  readonly namesDigest: string;
};

async function rankedFrom(db: Db, latest: QuarterEnd, series: SeriesDigests): Promise<Ranked> {
  const ciks: Cik[] = [];
  for await (const { managers } of storedSeries(db, lastOf(series, 1))) {
    for (const { cik, portfolio } of managers) if (portfolio !== null) ciks.push(cik);
  }
  const names = await namesOfManagers(db, latest, ciks);
  return { latest, series, names, namesDigest: digestOf([...names]) };
}

function lastOf(series: SeriesDigests, count: number): SeriesDigests {
  return new Map([...series].slice(-count));
}

/** A window with the digest of all that decides it. */
type Wanted = { readonly window: number; readonly inputs: string };

function wantedOf(window: number, { latest, series, namesDigest }: Ranked): Wanted {
  const digests = [...lastOf(series, window + LAG_QUARTERS).values()];
  return { window, inputs: digestOf([METHOD_VERSION, window, latest, namesDigest, digests]) };
}

/** By their inputs. Nothing is read for none. */
async function computeWindows(
  db: Db,
  wanted: readonly Wanted[],
  { latest, series, names }: Ranked,
): Promise<Map<string, StoredWindow>> {
  const windows = new Map<string, StoredWindow>();
  const longest = wanted.at(-1);
  if (longest === undefined) return windows;
  const builder = seriesBuilder();
  for await (const one of storedSeries(db, lastOf(series, longest.window + LAG_QUARTERS))) builder.add(one);
  const boardOf = leaderboardsOf({ funds: builder.funds(), benchmarked: builder.benchmarked(), latest });
  for (const { window, inputs } of wanted) {
    const { leaders, ...board } = boardOf(window);
    // A ranked manager has a report of the latest quarter, whose managers are all named.
    const named = leaders.map((leader) => ({ ...leader, ...(names.get(leader.cik) as Named) }));
    const stored = { window, ...board, digest: digestOf(named), inputs, total: named.length };
    await boardPages.write(db, boardList(stored), named);
    windows.set(inputs, stored);
  }
  return windows;
}

type Dated = {
  readonly due: BoardDue & { readonly at: string };
  /** The board whose windows may be shown again. */
  readonly before: BoardDoc | null;
};

/** Shows the windows unless those of a later version are shown, and drops pages that no reader needs any more. */
async function showBoard(db: Db, windows: readonly StoredWindow[], { due, before }: Dated): Promise<void> {
  const now = await boardIn(db).findOne({ _id: 'leaderboard' }, { projection: { at: 1 } });
  if (now?.at !== before?.at) throw boardInMotion('another board was shown while this one was computed');
  const previous = windowsOf(before).flatMap(pagesOfWindow);
  const contents = { method: METHOD_VERSION, windows: pack(windows), previous };
  const board: BoardDoc = { _id: 'leaderboard', ...contents, ...due };
  if (!(await replaceUnlessNewer(boardIn(db), board))) return;
  const kept = new Set([...windows.flatMap(pagesOfWindow), ...previous]);
  await boardPages.drop(
    db,
    (before?.previous ?? []).filter((page) => !kept.has(page)),
  );
}
