import type { Db } from 'mongodb';
import type { IsoDate } from '../domain/ids.ts';
import { indexDaysIn } from './index-days.ts';

type BackfillDoc = { _id: 'backfill'; through: IsoDate; days: IsoDate[]; at: string };

/** Notes which days the last backfill enqueued, and up to which day it looked. */
export async function markBackfilled(db: Db, through: IsoDate, days: readonly IsoDate[]): Promise<void> {
  await db
    .collection<BackfillDoc>('progress')
    .updateOne(
      { _id: 'backfill' },
      { $set: { through, days: [...days], at: new Date().toISOString() } },
      { upsert: true },
    );
}

export type BackfillState = { readonly through: IsoDate; readonly daysLeft: number; readonly at: string };

/** Null before the first backfill. */
export async function backfillState(db: Db): Promise<BackfillState | null> {
  const doc = await db.collection<BackfillDoc>('progress').findOne({ _id: 'backfill' });
  if (doc === null) return null;
  const read = await indexDaysIn(db).countDocuments({ _id: { $in: doc.days } });
  return { through: doc.through, daysLeft: doc.days.length - read, at: doc.at };
}
