import type { Db } from 'mongodb';

/** How often a worker that reads filings was started, ever. */
type StartsDoc = { _id: 'worker_starts'; count: number };

const startsIn = (db: Db) => db.collection<StartsDoc>('settings');

/** Counts the start of a worker that reads filings. Not journaled: only kills within minutes are compared by it. */
export async function countStart(db: Db): Promise<void> {
  await startsIn(db).updateOne(
    { _id: 'worker_starts' },
    { $inc: { count: 1 } },
    { upsert: true, writeConcern: { w: 1 } },
  );
}

/** How many starts were counted so far. */
export async function countedStarts(db: Db): Promise<number> {
  return Number((await startsIn(db).findOne({ _id: 'worker_starts' }))?.count ?? 0);
}
