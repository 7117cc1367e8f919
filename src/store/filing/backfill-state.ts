import type { Db } from 'mongodb';
import type { IsoDate } from '../../domain/ids.ts';
import { findByIds } from '../mongo/write.ts';
import { indexDaysIn } from './index-days.ts';

type BackfillDoc = {
  _id: 'backfill';
  slot: number;
  from: IsoDate;
  through: IsoDate;
  days: IsoDate[];
  at: string;
};

export type Backfilled = Omit<BackfillDoc, '_id'>;

/** Notes the days that the last backfill enqueued, its slot, and the day up to which it looked. */
export async function saveBackfill(db: Db, backfilled: Backfilled): Promise<void> {
  await progressIn(db).updateOne({ _id: 'backfill' }, { $set: backfilled }, { upsert: true });
}

const progressIn = (db: Db) => db.collection<BackfillDoc>('progress');

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
  const doc = await progressIn(db).findOne({ _id: 'backfill' });
  if (doc === null) return null;
  const docs = await findByIds(indexDaysIn(db), doc.days, { _id: 1 });
  const read = new Set(docs.map((day) => day._id));
  const left = doc.days.filter((day) => !read.has(day));
  return { slot: Number(doc.slot), from: doc.from, through: doc.through, at: doc.at, left };
}
