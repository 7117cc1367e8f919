import type { Db } from 'mongodb';
import { newestDueQuarter } from '../../domain/calendar.ts';
import { curatedManagerOf } from '../../domain/filing/manager.ts';
import type { Cik, IsoDate, QuarterEnd } from '../../domain/ids.ts';
import { METHOD_VERSION } from '../../domain/leaderboard/method.ts';
import { quarterSeries, seriesBuilder } from '../../domain/leaderboard/quarter-series.ts';
import { leaderboardOf } from '../../domain/leaderboard/rank.ts';
import { LAG_QUARTERS, WINDOW_MAX, WINDOW_MIN } from '../../domain/leaderboard/thresholds.ts';
import { quarterAfter, quartersThrough } from '../../domain/quarter.ts';
import { digestOf } from '../../store/mongo/pack.ts';
import {
  type BoardDue,
  type NamedLeader,
  type PackedWindow,
  packedWindow,
  sameWindows,
  showWindows,
} from '../../store/publish/leaderboard.ts';
import { fundsById, namesSince } from '../../store/report/funds.ts';
import { quarterStamps } from '../../store/report/quarter-reports.ts';
import { type DigestedQuarter, leaderboardQuarter, storedDigests } from './quarters.ts';
import { type SeriesDigests, saveSeries, seriesHeads, storedSeries } from './stored-quarter.ts';

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
  const outdated = WINDOWS.filter((window) => !same.has(window));
  const ranked = await rankWindows(db, outdated, sources);
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
  const input = { funds: builder.funds(), benchmarked: builder.benchmarked(), latest };
  return new Map(
    windows.map((window) => {
      const { leaders, ...board } = leaderboardOf({ ...input, window });
      // A ranked manager has a report of the latest quarter, whose managers are all named.
      const named = leaders.map((leader) => ({ ...leader, ...(names.get(leader.cik) as Named) }));
      return [window, packedWindow({ window, ...board, leaders: named })];
    }),
  );
}

type Named = Pick<NamedLeader, 'name' | 'slug' | 'manager'>;

/** What managers with a report of a quarter are called, in the order given. */
async function namesOfManagers(
  db: Db,
  quarterEnd: QuarterEnd,
  ciks: readonly Cik[],
): Promise<Map<Cik, Named>> {
  const listed = new Map<Cik, Named>((await namesSince(db, quarterEnd)).map((fund) => [fund._id, fund]));
  // A report is shown a moment before its manager is listed with it.
  const missing = ciks.filter((cik) => !listed.has(cik));
  const others = await fundsById(db, missing);
  return new Map(ciks.map((cik) => [cik, nameOf(cik, listed.get(cik) ?? others.get(cik))]));
}

/** A fund is written before its reports invalidate the board. One that is gone invalidated it again. */
function nameOf(cik: Cik, fund: Named | undefined): Named {
  const { name, slug, manager } = fund ?? { name: cik, slug: cik, manager: null };
  return { name, slug, manager: manager ?? curatedManagerOf(cik)?.name ?? null };
}

/** A quarter, the one before and the one before that. */
type Adjacent = readonly [QuarterEnd, QuarterEnd, QuarterEnd];

function seriesInputsOf(digests: readonly string[]): string {
  return digestOf([METHOD_VERSION, ...digests]);
}

/**
 * Brings the stored series of adjacent quarters, oldest first, up to date: only what follows from a changed
 * quarter is read and computed again. Three quarters at most are in memory at once.
 * @returns the digest of each series
 */
async function refreshSeries(db: Db, quarters: readonly QuarterEnd[], asOf: IsoDate): Promise<SeriesDigests> {
  const reaches = quarters.map((last): Adjacent => [last, quarterAfter(last, -1), quarterAfter(last, -2)]);
  const digests = await storedDigests(db, [...new Set(reaches.flat())]);
  const stored = await seriesHeads(db, quarters);
  const read = readingThree(db, asOf);
  const series = new Map<QuarterEnd, string>();
  for (const adjacent of reaches) {
    const seen: string[] = [];
    for (const one of adjacent.toReversed()) {
      const digest = digests.get(one) ?? (await read(one)).digest;
      digests.set(one, digest);
      seen.unshift(digest);
    }
    const [quarterEnd] = adjacent;
    const known = stored.get(quarterEnd);
    const isCurrent = known?.inputs === seriesInputsOf(seen);
    series.set(quarterEnd, isCurrent ? known.digest : await computeSeries(db, adjacent, read));
  }
  return series;
}

type ReadQuarter = (quarterEnd: QuarterEnd) => Promise<DigestedQuarter>;

/** Reads each of three adjacent quarters once. */
function readingThree(db: Db, asOf: IsoDate): ReadQuarter {
  const read = new Map<QuarterEnd, DigestedQuarter>();
  return async (quarterEnd) => {
    const known = read.get(quarterEnd);
    if (known !== undefined) return known;
    for (const other of read.keys()) if (other < quarterAfter(quarterEnd, -2)) read.delete(other);
    const quarter = await leaderboardQuarter(db, quarterEnd, asOf);
    read.set(quarterEnd, quarter);
    return quarter;
  };
}

/** Stored under what was read. Returns the digest of the series. */
async function computeSeries(db: Db, [last, middle, first]: Adjacent, read: ReadQuarter): Promise<string> {
  const [twoBefore, before, quarter] = [await read(first), await read(middle), await read(last)];
  const series = quarterSeries({ quarter, before, twoBefore });
  return saveSeries(db, series, seriesInputsOf([quarter.digest, before.digest, twoBefore.digest]));
}
