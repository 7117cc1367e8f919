import type { Db } from 'mongodb';
import type { IsoDate, QuarterEnd } from '../../domain/ids.ts';
import { METHOD_VERSION } from '../../domain/leaderboard/method.ts';
import { quarterSeries } from '../../domain/leaderboard/quarter-series.ts';
import { quarterAfter } from '../../domain/quarter.ts';
import { digestOf } from '../../store/mongo/pack.ts';
import { type DigestedQuarter, leaderboardQuarter, storedDigests } from './quarters.ts';
import { type SeriesDigests, saveSeries, seriesHeads } from './stored-series.ts';

/** A quarter, the one before and the one before that. */
type Adjacent = readonly [QuarterEnd, QuarterEnd, QuarterEnd];

function inputsOf(digests: readonly string[]): string {
  return digestOf([METHOD_VERSION, ...digests]);
}

/**
 * Brings the stored series of adjacent quarters, oldest first, up to date: only what follows from a changed
 * quarter is read and computed again. Three quarters at most are in memory at once.
 * @returns the digest of each series
 */
export async function refreshSeries(
  db: Db,
  quarters: readonly QuarterEnd[],
  asOf: IsoDate,
): Promise<SeriesDigests> {
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
    const isCurrent = known?.inputs === inputsOf(seen);
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
  return saveSeries(db, series, inputsOf([quarter.digest, before.digest, twoBefore.digest]));
}
