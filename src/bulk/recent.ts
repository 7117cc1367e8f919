import type { Db } from 'mongodb';
import { addDays } from '../domain/calendar.ts';
import { compare } from '../domain/compare.ts';
import { BRIEF_DAYS, daysOfDataSet } from '../domain/filing/index-coverage.ts';
import type { IsoDate } from '../domain/ids.ts';
import { dataSetsIn } from '../store/filing/data-sets.ts';
import { lastBackfill } from '../store/filing/index-days.ts';

/** An import by a command that has not gone on for so long may never do. */
const STOPPED_MS = 600_000;

/**
 * The import of the data sets that briefs of the day rest on (rule 13.7). `isOpen`: one of them is still to be
 * imported, and did not fail since its import began, or what follows from it is still to be computed. `at`: when the
 * backfill looked, or one of them went on, last; null before the first time.
 */
export async function recentImport(db: Db, asOf: IsoDate, now: Date) {
  const last = await lastBackfill(db);
  const held = last?.dataSets ?? [];
  const sets = (await dataSetsIn(db)).filter(({ _id }) => isRecent(_id, asOf));
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
export function isRecent(name: string, asOf: IsoDate): boolean {
  try {
    return daysOfDataSet(name).last >= firstDayOfBriefs(asOf);
  } catch {
    return false;
  }
}

/** Briefs of the day rest on nothing that was filed earlier. */
export function firstDayOfBriefs(asOf: IsoDate): IsoDate {
  return addDays(asOf, -BRIEF_DAYS);
}
