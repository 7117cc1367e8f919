import type { Db } from 'mongodb';
import { newestDueQuarter } from '../../domain/calendar.ts';
import type { Cik, QuarterEnd } from '../../domain/ids.ts';
import { METHOD_VERSION } from '../../domain/leaderboard/method.ts';
import { seriesBuilder } from '../../domain/leaderboard/quarter-series.ts';
import { leaderboardsOf } from '../../domain/leaderboard/rank.ts';
import { LAG_QUARTERS, WINDOW_MAX, WINDOW_MIN } from '../../domain/leaderboard/thresholds.ts';
import { quartersThrough } from '../../domain/quarter.ts';
import { digestOf } from '../../store/mongo/pack.ts';
import {
  type BoardDue,
  type PackedWindow,
  packedWindow,
  sameWindows,
  showWindows,
} from '../../store/publish/leaderboard.ts';
import { quarterStamps } from '../../store/report/quarter-stamps.ts';
import { type Named, namesOfManagers } from './names.ts';
import { refreshSeries } from './series.ts';
import { type SeriesDigests, storedSeries } from './stored-series.ts';

const WINDOWS: readonly number[] = Array.from(
  { length: WINDOW_MAX - WINDOW_MIN + 1 },
  (_, at) => WINDOW_MIN + at,
);

/**
 * Shows every window as of the day, and ranks only those of which anything changed (rule 9.5).
 * @param at when it is computed, ISO 8601 UTC
 */
export async function refreshLeaderboard(db: Db, due: BoardDue, at: string): Promise<void> {
  const latest = newestDueQuarter(due.asOf);
  const quarters = await reportedFrom(db, quartersThrough(latest, WINDOW_MAX + LAG_QUARTERS));
  const sources = await sourcesOf(db, latest, await refreshSeries(db, quarters, due.asOf));
  const inputs = new Map(WINDOWS.map((window) => [window, inputsOf(window, sources)]));
  const same = await sameWindows(db, inputs);
  const ranked = await rankWindows(
    db,
    WINDOWS.filter((window) => !same.has(window)),
    sources,
  );
  const wanted = [...inputs].map(([window, own]) => ({
    ...{ window, inputs: own },
    ranked: ranked.get(window) ?? null,
  }));
  await showWindows(db, wanted, { ...due, at });
}

/** The quarters from the first one with a report on: those before it add nothing. */
async function reportedFrom(db: Db, quarters: readonly QuarterEnd[]): Promise<readonly QuarterEnd[]> {
  const stamps = await quarterStamps(db, quarters);
  const first = quarters.findIndex((quarter) => stamps.has(quarter));
  return first === -1 ? [] : quarters.slice(first);
}

/** What the windows are ranked from. */
type Sources = {
  readonly latest: QuarterEnd;
  /** Oldest first. */
  readonly series: SeriesDigests;
  /** Of the managers that can be ranked, in order of CIK. */
  readonly names: ReadonlyMap<Cik, Named>;
  readonly namesDigest: string;
};

async function sourcesOf(db: Db, latest: QuarterEnd, series: SeriesDigests): Promise<Sources> {
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

/** The digest of all that decides a window. */
function inputsOf(window: number, { latest, series, namesDigest }: Sources): string {
  const digests = [...lastOf(series, window + LAG_QUARTERS).values()];
  return digestOf([METHOD_VERSION, window, latest, namesDigest, digests]);
}

/** Nothing is read for none. */
async function rankWindows(
  db: Db,
  windows: readonly number[],
  { latest, series, names }: Sources,
): Promise<Map<number, PackedWindow>> {
  const longest = windows.at(-1);
  if (longest === undefined) return new Map();
  const builder = seriesBuilder();
  for await (const one of storedSeries(db, lastOf(series, longest + LAG_QUARTERS))) builder.add(one);
  const boardOf = leaderboardsOf({ funds: builder.funds(), benchmarked: builder.benchmarked(), latest });
  return new Map(
    windows.map((window) => {
      const { leaders, ...board } = boardOf(window);
      // A ranked manager has a report of the latest quarter, whose managers are all named.
      const named = leaders.map((leader) => ({ ...leader, ...(names.get(leader.cik) as Named) }));
      return [window, packedWindow({ window, ...board, leaders: named })];
    }),
  );
}
