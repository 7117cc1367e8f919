import type { Db } from 'mongodb';
import { compare } from '../domain/compare.ts';
import { daysOfDataSet } from '../domain/filing/index-coverage.ts';
import type { IsoDate, QuarterEnd } from '../domain/ids.ts';
import { quarterEndOn } from '../domain/quarter.ts';
import { dataSetNames, FIRST_PUBLISHED } from '../edgar/data-set/published.ts';
import { DATA_SETS, type DataSetKind } from '../forms/index.ts';
import { dataSetsNamed } from '../store/filing/data-sets.ts';

const KINDS = Object.keys(DATA_SETS) as readonly DataSetKind[];

/** Fewer unread days than these are read filing by filing: a set is a download of some 100 MB. */
const MIN_DAYS = 5;

export type Unread = {
  /** Business days whose index was not read, in any order. */
  readonly days: readonly IsoDate[];
  /** A data set that ends on this day or later is not complete yet. */
  readonly asOf: IsoDate;
  /** The names that EDGAR lists; null where it has no listing. */
  readonly listed: readonly string[] | null;
};

/** Names of the data sets that bring unread days and are neither imported nor known to be missing, newest first. */
export async function wantedDataSets(db: Db, unread: Unread): Promise<string[]> {
  const names = dataSetsWith(unread);
  const known = await dataSetsNamed(db, names);
  const isSettled = (name: string): boolean =>
    ['stored', 'done', 'unpublished'].includes(known.get(name)?.state ?? '');
  return names.filter((name) => !isSettled(name));
}

/** Names of the data sets that hold enough of the days, newest first. */
export function dataSetsWith({ days, asOf, listed }: Unread): string[] {
  const [first] = [...days].sort(compare);
  if (first === undefined) return [];
  const quarters = { from: quarterEndOn(first), to: quarterEndOn(asOf) };
  const names = KINDS.flatMap((kind) => dataSetNames(kind, quarters).filter(isSince(FIRST_PUBLISHED[kind])));
  const isComplete = (name: string): boolean => daysOfDataSet(name).last < asOf;
  const isListed = (name: string): boolean => listed === null || listed.includes(`${name}.zip`);
  return names
    .filter((name) => isListed(name) && isComplete(name) && daysIn(name, days).length >= MIN_DAYS)
    .sort((a, b) => compare(daysOfDataSet(b).last, daysOfDataSet(a).last));
}

const isSince = (first: QuarterEnd) => (name: string) => daysOfDataSet(name).last >= first;

/** Those of the days on which the filings of the data set were filed. */
export function daysIn(name: string, days: readonly IsoDate[]): IsoDate[] {
  const { first, last } = daysOfDataSet(name);
  return days.filter((day) => day >= first && day <= last);
}
