import type { Db } from 'mongodb';
import { addDays } from '../../domain/calendar.ts';
import type { Accession, IsoDate } from '../../domain/ids.ts';
import { findByIds, inLists } from '../mongo/lists.ts';
import { filingsIn } from './filings.ts';
import { type ListingRead, saveSetting, settingOf } from './settings.ts';

/** A day whose daily index was read to its end, or that has none: no filing of that day is missing. */
type IndexDayDoc = {
  _id: IsoDate;
  status: 'reconciled' | 'empty';
  /** Filings of carried forms in the index. */
  carried: number;
  /** The index says that it lists a selection of EDGAR's filings. */
  selection: boolean;
  at: string;
  /** The file that was read; absent or null where only a whole read would find everything. */
  read?: ListingRead | null;
};

/** A day without an index. */
export function emptyIndexDay(_id: IsoDate, at: string): IndexDayDoc {
  return { _id, status: 'empty', carried: 0, selection: false, at, read: null };
}

export const indexDaysIn = (db: Db) => db.collection<IndexDayDoc>('index_days');

export async function saveIndexDays(db: Db, days: readonly IndexDayDoc[]): Promise<void> {
  if (days.length === 0) return;
  await indexDaysIn(db).bulkWrite(
    days.map(({ _id, ...rest }) => ({
      updateOne: { filter: { _id }, update: { $set: rest }, upsert: true },
    })),
    { ordered: false },
  );
}

/** The file of the last good read; null where there is none. */
export async function indexReadOf(db: Db, day: IsoDate): Promise<ListingRead | null> {
  return (await indexDaysIn(db).findOne({ _id: day }))?.read ?? null;
}

export async function knownIndexDays(db: Db): Promise<IndexDayDoc[]> {
  return indexDaysIn(db).find().sort({ _id: 1 }).toArray();
}

/**
 * Carried filings of the days nearest to `date` that are the same weekday, at most so many, before it or after it:
 * history is read from its end. Days without an index, and days read from a selection, are left out.
 */
export async function carriedOnWeekday(db: Db, date: IsoDate, most: number): Promise<number[]> {
  const weeks = Array.from({ length: most }, (_, week) => 7 * (week + 1));
  const days = weeks.flatMap((away) => [addDays(date, -away), addDays(date, away)]);
  const docs = await findByIds(indexDaysIn(db), days);
  return docs
    .filter(({ status, selection }) => status === 'reconciled' && !selection)
    .sort((a, b) => days.indexOf(a._id) - days.indexOf(b._id))
    .slice(0, most)
    .map(({ carried }) => Number(carried));
}

type Backfill = {
  slot: number;
  from: IsoDate;
  through: IsoDate;
  days: IsoDate[];
  /** Days whose indexes wait until the data sets are imported. */
  held?: IsoDate[];
  /** Names of the data sets that bring these days, newest first. */
  dataSets?: string[];
  at: string;
};

/** Notes the days that the last backfill enqueued or held back, its slot, and the day up to which it looked. */
export async function saveBackfill(db: Db, backfilled: Backfill): Promise<void> {
  await saveSetting(db, 'backfill', backfilled);
}

/** What the last backfill noted; null before the first one. `held`: days that wait for data sets. */
export async function lastBackfill(db: Db) {
  const last = await settingOf<Backfill>(db, 'backfill');
  return last && { ...last, slot: Number(last.slot), held: last.held ?? [], dataSets: last.dataSets ?? [] };
}

/** The same. `left`: days that were enqueued and not read to their end yet. */
export async function backfillState(db: Db) {
  const last = await lastBackfill(db);
  if (last === null) return null;
  const docs = await findByIds(indexDaysIn(db), last.days, { _id: 1 });
  const read = new Set(docs.map((day) => day._id));
  return { ...last, left: last.days.filter((day) => !read.has(day)) };
}

/** What the index of a day says of the stored filings. */
type ListedDay = { readonly day: IsoDate; readonly listed: ReadonlySet<Accession>; readonly at: string };

/**
 * Notes which day's index lists the stored filings. What is listed is not withdrawn, even if it was
 * listed under another day before.
 */
export async function noteListed(db: Db, indexDay: IsoDate, listed: ReadonlySet<Accession>): Promise<void> {
  const stored = await findByIds(filingsIn(db), listed, { indexDay: 1, withdrawnAt: 1 });
  const changed = stored.filter((filing) => filing.indexDay !== indexDay || filing.withdrawnAt !== undefined);
  for (const _id of inLists(changed.map((filing) => filing._id))) {
    await filingsIn(db).updateMany({ _id }, { $set: { indexDay }, $unset: { withdrawnAt: 1 } });
  }
}

/**
 * Flags the filings that the index of the day listed and lists no longer. A filing that only the feed
 * has named is not flagged: its index may still come. Returns how many are flagged now.
 */
export async function flagWithdrawn(db: Db, { day, listed, at }: ListedDay): Promise<number> {
  const stored = await filingsIn(db)
    .find({ indexDay: day }, { projection: { withdrawnAt: 1 } })
    .toArray();
  const gone = stored.filter(({ _id }) => !listed.has(_id));
  const fresh = gone.filter(({ withdrawnAt }) => withdrawnAt === undefined);
  for (const _id of inLists(fresh.map((filing) => filing._id))) {
    await filingsIn(db).updateMany({ _id }, { $set: { withdrawnAt: at } });
  }
  return gone.length;
}

/** Flagged filings, ascending by accession number. */
export async function withdrawnFilings(db: Db): Promise<Accession[]> {
  const found = await filingsIn(db)
    .find({ withdrawnAt: { $gt: '' } }, { projection: { _id: 1 } })
    .toArray();
  return found.map(({ _id }) => _id).sort();
}
