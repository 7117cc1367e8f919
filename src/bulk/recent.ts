import type { Db } from 'mongodb';
import { addDays } from '../domain/calendar.ts';
import { compare } from '../domain/compare.ts';
import { BRIEF_DAYS, daysOfDataSet } from '../domain/filing/index-coverage.ts';
import { LAST_LANE } from '../domain/filing/lane.ts';
import type { IsoDate } from '../domain/ids.ts';
import { allDataSets, type DataSetDoc, noteDone } from '../store/filing/data-sets.ts';
import { lastBackfill } from '../store/filing/index-days.ts';
import { invalidationsIn } from '../store/invalidation/invalidation.ts';

/** Reports that wait behind an import that is done: one that cannot be compared must not hold it up. */
const FEW = 64;

/** An import by a command that has not gone on for so long may never do. */
const STOPPED_MS = 600_000;

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
    const { state = 'importing', failure, isRetried, progress } = recent.get(name) ?? {};
    if (state !== 'importing') return state === 'stored';
    if (dataSets.includes(name)) return failure === undefined || isRetried === true;
    return now.getTime() - Date.parse(progress?.at ?? '') < STOPPED_MS;
  });
  const noted = [...recent.values()].flatMap(({ progress }) => progress?.at ?? []);
  return { isOpen, at: [...noted, last?.at ?? []].flat().sort(compare).at(-1) ?? null };
}

/** Ends the imports whose reports are compared, and returns all as they are then. */
async function endStored(db: Db, { since, at }: { readonly since: IsoDate; readonly at: string }) {
  const sets = await allDataSets(db);
  const stored = sets.filter(({ state }) => state === 'stored').map(({ _id }) => _id);
  if (stored.length === 0) return sets;
  const isOpen = await manyWait(db, since);
  const done = stored.filter((name) => !isOpen || !isSince(name, since));
  await noteDone(db, done, at);
  return sets.map((set): DataSetDoc => {
    return done.includes(set._id) ? { ...set, state: 'done', progress: { share: 1, at } } : set;
  });
}

/** Whether many reports wait of the quarters that briefs rest on, however many older ones do. */
async function manyWait(db: Db, since: IsoDate): Promise<boolean> {
  const quarterEnd = { $arrayElemAt: [{ $split: ['$key', '|'] }, 1] };
  const where = {
    pending: true,
    kind: 'report',
    lane: LAST_LANE,
    $expr: { $gte: [quarterEnd, since] },
  } as const;
  const options = { projection: { _id: 1 }, limit: FEW + 1 } as const;
  return (await invalidationsIn(db).find(where, options).toArray()).length > FEW;
}

/** False for a file with another name than those of the SEC. */
function isSince(name: string, day: IsoDate): boolean {
  try {
    return daysOfDataSet(name).last >= day;
  } catch {
    return false;
  }
}
