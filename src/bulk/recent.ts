import type { Db } from 'mongodb';
import { addDays } from '../domain/calendar.ts';
import { compare } from '../domain/compare.ts';
import { BRIEF_DAYS, daysOfDataSet } from '../domain/filing/index-coverage.ts';
import type { IsoDate } from '../domain/ids.ts';
import { dataSetsNamed } from '../store/filing/data-sets.ts';
import { lastBackfill } from '../store/filing/index-days.ts';

/**
 * The import of the data sets that briefs of the day rest on (rule 13.7). `isOpen`: one of them is still to be
 * imported, and did not fail since its import began. `at`: when the backfill looked, or something of them was imported, last; null before
 * the first time.
 */
export async function recentImport(db: Db, asOf: IsoDate) {
  const { dataSets, at } = (await lastBackfill(db)) ?? { dataSets: [], at: null };
  const since = addDays(asOf, -BRIEF_DAYS);
  const names = dataSets.filter((name) => daysOfDataSet(name).last >= since);
  const known = await dataSetsNamed(db, names);
  const isOpen = names.some((name) => {
    const { state = 'importing', failure, isRetried } = known.get(name) ?? {};
    return state === 'importing' && (failure === undefined || isRetried === true);
  });
  const noted = [...known.values()].flatMap(({ progress }) => progress?.at ?? []);
  return { isOpen, at: [...noted, at ?? []].flat().sort(compare).at(-1) ?? null };
}
