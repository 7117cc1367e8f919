import type { Db } from 'mongodb';
import type { IsoDate } from '../../domain/ids.ts';

/**
 * A day whose daily index could not be read, or not be believed, or on which the feed had an entry that names no
 * filing. It is removed by the next good read of the index.
 */
export type IndexAlarmDoc = {
  _id: IsoDate;
  /** The code of the error. */
  reason: string;
  message: string;
  /** Of a doubted index: SHA-256 of its bytes and since when these are read; absent when none came so far. */
  digest?: string;
  doubtedSince?: string;
  /** Times of the first and of the last failed read, and how many there were. */
  since: string;
  at: string;
  reads: number;
};

const indexAlarmsIn = (db: Db) => db.collection<IndexAlarmDoc>('index_alarms');

export async function raiseIndexAlarm(
  db: Db,
  { _id, ...alarm }: Omit<IndexAlarmDoc, 'since' | 'reads'>,
): Promise<void> {
  const update = { $set: alarm, $setOnInsert: { since: alarm.at }, $inc: { reads: 1 } };
  await indexAlarmsIn(db).updateOne({ _id }, update, { upsert: true });
}

export async function clearIndexAlarm(db: Db, day: IsoDate): Promise<void> {
  await indexAlarmsIn(db).deleteOne({ _id: day });
}

/** Null when the last read of the day was good. */
export async function indexAlarmOf(db: Db, day: IsoDate): Promise<IndexAlarmDoc | null> {
  return indexAlarmsIn(db).findOne({ _id: day });
}

/** By day, ascending. */
export async function indexAlarms(db: Db): Promise<IndexAlarmDoc[]> {
  return indexAlarmsIn(db).find().sort({ _id: 1 }).toArray();
}
