import type { Db } from 'mongodb';
import { addDays } from '../domain/calendar.ts';
import { compare } from '../domain/compare.ts';
import { BRIEF_DAYS, daysOfDataSet } from '../domain/filing/index-coverage.ts';
import { LAST_LANE } from '../domain/filing/lane.ts';
import type { IsoDate } from '../domain/ids.ts';
import { allDataSets, type DataSetDoc, noteDone } from '../store/filing/data-sets.ts';
import { reportKeyOf } from '../store/filing/filings.ts';
import { lastBackfill } from '../store/filing/index-days.ts';
import { listPending } from '../store/invalidation/pending.ts';

/** Reports that wait behind an import that is done: one that cannot be compared must not hold it up. */
const FEW = 64;

/** Of the reports that wait, those that have waited longest. */
const LISTED = 1_000;

/**
 * The import of the data sets that briefs of the day rest on (rule 13.7). `isOpen`: one of them is still to be
 * imported, and did not fail since its import began, or its reports are still to be compared. `at`: when the backfill
 * looked, or one of them went on, last; null before the first time.
 */
export async function recentImport(db: Db, asOf: IsoDate, now: Date) {
  const since = addDays(asOf, -BRIEF_DAYS);
  const last = await lastBackfill(db);
  const dataSets = last?.dataSets ?? [];
  const sets = await endStored(db, { since, at: now.toISOString() });
  const recent = new Map(sets.flatMap((set) => (isSince(set._id, since) ? [[set._id, set]] : [])));
  const wanted = new Set([...recent.keys(), ...dataSets.filter((name) => isSince(name, since))]);
  const isOpen = [...wanted].some((name) => {
    const { state = 'importing', failure, isRetried } = recent.get(name) ?? {};
    if (state === 'stored') return true;
    return state === 'importing' && dataSets.includes(name) && (failure === undefined || isRetried === true);
  });
  const noted = [...recent.values()].flatMap(({ progress }) => progress?.at ?? []);
  return { isOpen, at: [...noted, last?.at ?? []].flat().sort(compare).at(-1) ?? null };
}

/** Ends the imports whose reports are compared, and returns all as they are then. */
async function endStored(db: Db, { since, at }: { readonly since: IsoDate; readonly at: string }) {
  const sets = await allDataSets(db);
  const stored = sets.filter(({ state }) => state === 'stored').map(({ _id }) => _id);
  if (stored.length === 0) return sets;
  const waiting = await listPending(db, { kind: 'report', lane: LAST_LANE }, LISTED);
  const isOpen = waiting.filter(({ key }) => reportKeyOf(key).quarterEnd >= since).length > FEW;
  const done = stored.filter((name) => !isOpen || !isSince(name, since));
  await noteDone(db, done, at);
  return sets.map((set): DataSetDoc => {
    return done.includes(set._id) ? { ...set, state: 'done', progress: { share: 1, at } } : set;
  });
}

/** False for a file with another name than those of the SEC. */
function isSince(name: string, day: IsoDate): boolean {
  try {
    return daysOfDataSet(name).last >= day;
  } catch {
    return false;
  }
}
