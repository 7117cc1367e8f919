import type { Db } from 'mongodb';
import type { IsoDate } from '../../domain/ids.ts';

/** A day whose daily index was read to its end, or that has none: no filing of that day is missing. */
export type IndexDayDoc = {
  _id: IsoDate;
  status: 'reconciled' | 'empty';
  /** Filings of carried forms in the index. */
  carried: number;
  /** The index says that it lists a selection of EDGAR's filings. */
  selection: boolean;
  at: string;
};

/** A day without an index. */
export function emptyIndexDay(_id: IsoDate, at: string): IndexDayDoc {
  return { _id, status: 'empty', carried: 0, selection: false, at };
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

export async function knownIndexDays(db: Db): Promise<IndexDayDoc[]> {
  return indexDaysIn(db).find().sort({ _id: 1 }).toArray();
}
