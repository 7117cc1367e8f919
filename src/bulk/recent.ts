import type { Db } from 'mongodb';
import { addDays } from '../domain/calendar.ts';
import { compare } from '../domain/compare.ts';
import { BRIEF_DAYS, daysOfDataSet } from '../domain/filing/index-coverage.ts';
import { LAST_LANE } from '../domain/filing/lane.ts';
import type { IsoDate, QuarterEnd } from '../domain/ids.ts';
import { quarterEndOn } from '../domain/quarter.ts';
import { dataSetNames, FIRST_PUBLISHED } from '../edgar/data-set/published.ts';
import { DATA_SETS, type DataSetKind } from '../forms/index.ts';
import { type DataSetDoc, dataSetsIn, dataSetsNamed, noteDone } from '../store/filing/data-sets.ts';
import { lastBackfill } from '../store/filing/index-days.ts';
import { invalidationsIn } from '../store/invalidation/invalidation.ts';

/** An import by a command that has not gone on for so long may never do. */
const STOPPED_MS = 600_000;

/**
 * Ends the imports that are done, and says how far those are that briefs of the day rest on (rule 13.7). `isOpen`: one
 * of them is still to be imported, and did not fail since its import began, or what follows from it is still to be
 * computed. `at`: when the backfill looked, or one of them went on, last; null before the first time.
 */
export async function recentImport(db: Db, asOf: IsoDate, now: Date) {
  const last = await lastBackfill(db);
  const held = last?.dataSets ?? [];
  const all: DataSetDoc[] = [];
  for (const set of await dataSetsIn(db)) all.push(await ended(db, set, { asOf, now }));
  const sets = all.filter(({ _id }) => isRecent(_id, asOf));
  const recent = new Map(sets.map((set) => [set._id, set]));
  const wanted = new Set([...recent.keys(), ...held.filter((name) => isRecent(name, asOf))]);
  const isOpen = [...wanted].some((name) => {
    const { state = 'importing', failure, isRetried, progress } = recent.get(name) ?? {};
    if (state !== 'importing') return state === 'stored';
    if (held.includes(name)) return failure === undefined || isRetried === true;
    return now.getTime() - Date.parse(progress?.at ?? '') < STOPPED_MS;
  });
  const noted = sets.flatMap(({ progress }) => progress?.at ?? []);
  return { isOpen, at: [...noted, last?.at ?? []].flat().sort(compare).at(-1) ?? null };
}

/** Whether briefs of the day rest on the data set. False for a file with another name than those of the SEC. */
function isRecent(name: string, asOf: IsoDate): boolean {
  try {
    return daysOfDataSet(name).last >= firstDayOfBriefs(asOf);
  } catch {
    return false;
  }
}

/** Briefs of the day rest on nothing that was filed earlier. */
function firstDayOfBriefs(asOf: IsoDate): IsoDate {
  return addDays(asOf, -BRIEF_DAYS);
}

/** So few reports, or issuers, that wait do not hold up the end of an import. */
const FEW = 64;

type Today = { readonly asOf: IsoDate; readonly now: Date };

/**
 * Ends a stored import of which all that follows was computed, or tried in vain, since it was stored (rule 13.7); one
 * that no brief of the day rests on ends at once.
 */
async function ended(db: Db, set: DataSetDoc, { asOf, now }: Today): Promise<DataSetDoc> {
  const { _id: name, state, storedAt = now } = set;
  if (state !== 'stored' || (isRecent(name, asOf) && (await manyWait(db, storedAt, asOf)))) return set;
  return (await noteDone(db, name, now.toISOString())) ?? set;
}

/** Many reports that briefs rest on, however many older ones there are, or many issuers. What fails goes to the back. */
async function manyWait(db: Db, since: Date, asOf: IsoDate): Promise<boolean> {
  const quarterEnd = { $arrayElemAt: [{ $split: ['$key', '|'] }, 1] };
  const reports = { kind: 'report', $expr: { $gte: [quarterEnd, firstDayOfBriefs(asOf)] } } as const;
  const options = { projection: { _id: 1 }, limit: FEW + 1 } as const;
  for (const kind of [reports, { kind: 'insider' } as const]) {
    const where = { ...kind, pending: true, lane: LAST_LANE, at: { $lte: since } };
    if ((await invalidationsIn(db).find(where, options).toArray()).length > FEW) return true;
  }
  return false;
}

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
