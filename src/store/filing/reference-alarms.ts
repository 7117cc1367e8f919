import type { Db } from 'mongodb';

/** A reference file that the last run could not read. The other files are read all the same. */
type ReferenceAlarmDoc = {
  /** The file's name. */
  _id: string;
  /** The code of the error. */
  code: string;
  message: string;
  /** Times of the first and of the last failed read. */
  since: string;
  at: string;
};

const referenceAlarmsIn = (db: Db) => db.collection<ReferenceAlarmDoc>('reference_alarms');

export async function raiseReferenceAlarm(
  db: Db,
  { _id, ...alarm }: Omit<ReferenceAlarmDoc, 'since'>,
): Promise<void> {
  const update = { $set: alarm, $setOnInsert: { since: alarm.at } };
  await referenceAlarmsIn(db).updateOne({ _id }, update, { upsert: true });
}

/** After a whole run: removes those that the run did not raise again. */
export async function clearReferenceAlarms(db: Db, before: Date): Promise<void> {
  await referenceAlarmsIn(db).deleteMany({ at: { $lt: before.toISOString() } });
}

/** By name, ascending. */
export async function referenceAlarms(db: Db): Promise<ReferenceAlarmDoc[]> {
  return referenceAlarmsIn(db).find().sort({ _id: 1 }).toArray();
}
