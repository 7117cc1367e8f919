import type { Db } from 'mongodb';
import type { IsoDate } from '../domain/ids.ts';

type BackfillDoc = { _id: 'backfill'; through: IsoDate; at: string };

/** Notes that all indexes up to the day are known to be read or are enqueued. */
export async function markBackfilled(db: Db, through: IsoDate): Promise<void> {
  await db
    .collection<BackfillDoc>('progress')
    .updateOne({ _id: 'backfill' }, { $set: { through, at: new Date().toISOString() } }, { upsert: true });
}

/** The day that the last backfill went up to; null before the first. */
export async function backfilledThrough(db: Db): Promise<IsoDate | null> {
  const doc = await db.collection<BackfillDoc>('progress').findOne({ _id: 'backfill' });
  return doc?.through ?? null;
}
