import type { Db } from 'mongodb';
import { UNJOURNALED } from '../mongo/write.ts';
import { idOf, invalidationsIn } from './invalidation.ts';

/**
 * Another number after each change of a position behind the ticker's brief; null when it was never
 * invalidated. Read it before the positions. A release that knows no unmoved versions raises it each time.
 */
export async function holdersEdition(db: Db, ticker: string): Promise<number | null> {
  const doc = await invalidationsIn(db).findOne({ _id: idOf('brief', ticker) });
  return doc === null ? null : Number(doc.version) - Number(doc.unmoved ?? 0);
}

/** Whether a brief that was built for the version waits for its next reader to be built again. */
export async function isLeftToReaders(db: Db, ticker: string, version: number): Promise<boolean> {
  const doc = await invalidationsIn(db).findOne({ _id: idOf('brief', ticker) });
  return doc !== null && !doc.pending && Number(doc.version) > version;
}

/** Has the next reader or a worker build the brief when its security changes. */
export async function setOnRead(db: Db, ticker: string, onRead: boolean): Promise<void> {
  await invalidationsIn(db).updateOne(
    { _id: idOf('brief', ticker), onRead: { $ne: onRead } },
    { $set: { onRead } },
    { writeConcern: UNJOURNALED },
  );
}

/**
 * Where more than `max` briefs are pending, leaves those that nobody built or asked for yet to their first readers
 * (rule 13.7), but for briefs that a reader asks for now. Returns how many: nobody announces them, so an API process
 * may still remember that nothing was filed about them.
 */
export async function leaveFirstBriefs(db: Db, max: number): Promise<number> {
  const pending = { kind: 'brief', pending: true } as const;
  if ((await invalidationsIn(db).countDocuments(pending, { limit: max + 1 })) <= max) return 0;
  const { modifiedCount } = await invalidationsIn(db).updateMany(
    { ...pending, onRead: { $exists: false } },
    { $set: { pending: false, onRead: true } },
    { writeConcern: UNJOURNALED },
  );
  return Number(modifiedCount);
}
