import type { Db } from 'mongodb';
import type { IsoDate } from '../../domain/ids.ts';
import { indexDaysIn } from './index-days.ts';

type BackfillDoc = {
  _id: 'backfill';
  slot: number;
  from: IsoDate;
  through: IsoDate;
  days: IsoDate[];
  at: string;
};

export type Backfilled = Pick<BackfillDoc, 'slot' | 'from' | 'through' | 'days'>;

/** Notes which days the last backfill enqueued, under which slot, and up to which day it looked. */
export async function markBackfilled(db: Db, backfilled: Backfilled): Promise<void> {
  await db
    .collection<BackfillDoc>('progress')
    .updateOne(
      { _id: 'backfill' },
      { $set: { ...backfilled, at: new Date().toISOString() } },
      { upsert: true },
    );
}

export type BackfillState = {
  readonly slot: number;
  readonly from: IsoDate;
  readonly through: IsoDate;
  readonly at: string;
  /** Days that were enqueued and not read to their end yet. */
  readonly left: readonly IsoDate[];
};

/** Null before the first backfill. */
export async function backfillState(db: Db): Promise<BackfillState | null> {
  const doc = await db.collection<BackfillDoc>('progress').findOne({ _id: 'backfill' });
  if (doc === null) return null;
  const docs = await indexDaysIn(db)
    .find({ _id: { $in: doc.days } }, { projection: { _id: 1 } })
    .toArray();
  const read = new Set(docs.map((day) => day._id));
  const left = doc.days.filter((day) => !read.has(day));
  return { slot: Number(doc.slot), from: doc.from, through: doc.through, at: doc.at, left };
}
