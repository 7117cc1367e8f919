import type { Db } from 'mongodb';
import type { IsoDate } from '../../domain/ids.ts';

/**
 * What could not be read, until the next good read removes it: a day whose daily index failed, is not believed, or on
 * which the feed had an entry that names no filing; or a reference file. All others are read all the same.
 */
type AlarmDoc<Id extends string = string> = {
  /** The day, or the file's name. */
  _id: Id;
  of: 'index' | 'reference';
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

const alarmsIn = (db: Db) => db.collection<AlarmDoc>('alarms');

type Raised = Omit<AlarmDoc, 'of' | 'since' | 'reads'>;

export function raiseIndexAlarm(db: Db, alarm: Raised): Promise<void> {
  return raise(db, { of: 'index', ...alarm });
}

type DamagedFile = Pick<AlarmDoc, '_id' | 'message' | 'at'> & { readonly code: string };

export function raiseReferenceAlarm(db: Db, { code: reason, ...file }: DamagedFile): Promise<void> {
  return raise(db, { of: 'reference', reason, ...file });
}

async function raise(db: Db, { _id, ...alarm }: Omit<AlarmDoc, 'since' | 'reads'>): Promise<void> {
  const update = { $set: alarm, $setOnInsert: { since: alarm.at }, $inc: { reads: 1 } };
  await alarmsIn(db).updateOne({ _id }, update, { upsert: true });
}

export async function clearIndexAlarm(db: Db, day: IsoDate): Promise<void> {
  await alarmsIn(db).deleteOne({ _id: day });
}

/** After a whole run: removes those that the run did not raise again. */
export async function clearReferenceAlarms(db: Db, before: Date): Promise<void> {
  await alarmsIn(db).deleteMany({ of: 'reference', at: { $lt: before.toISOString() } });
}

/** Null when the last read of the day was good. */
export async function indexAlarmOf(db: Db, day: IsoDate): Promise<AlarmDoc | null> {
  return alarmsIn(db).findOne({ _id: day });
}

/** By day, ascending. */
export async function indexAlarms(db: Db): Promise<AlarmDoc<IsoDate>[]> {
  return (await alarmsOf(db, 'index')) as AlarmDoc<IsoDate>[];
}

/** By name, ascending. */
export function referenceAlarms(db: Db): Promise<AlarmDoc[]> {
  return alarmsOf(db, 'reference');
}

function alarmsOf(db: Db, of: AlarmDoc['of']): Promise<AlarmDoc[]> {
  return alarmsIn(db).find({ of }).sort({ _id: 1 }).toArray();
}
