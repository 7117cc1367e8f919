import type { Db } from 'mongodb';
import type { IsoDate } from '../../domain/ids.ts';
import { type SettingDoc, settingsIn } from './settings.ts';

/**
 * What could not be read, until the next good read removes it: a day whose daily index failed, is not believed, or on
 * which the feed had an entry that names no filing; or a reference file. All others are read all the same.
 */
type Alarm<Name extends string = string> = {
  /** The day, or the file's name. */
  name: Name;
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

type Kind = 'index' | 'reference';
type Raised = Omit<Alarm, 'since' | 'reads'>;

const idOf = (kind: Kind, name: string): string => `alarm|${kind}|${name}`;
const idsOf = (kind: Kind) => ({ $gte: idOf(kind, ''), $lt: idOf(kind, '~') });
const alarmsIn = settingsIn<Alarm>;

export function raiseIndexAlarm(db: Db, alarm: Raised): Promise<void> {
  return raise(db, 'index', alarm);
}

type DamagedFile = Pick<Alarm, 'name' | 'message' | 'at'> & { readonly code: string };

export function raiseReferenceAlarm(db: Db, { code: reason, ...file }: DamagedFile): Promise<void> {
  return raise(db, 'reference', { reason, ...file });
}

async function raise(db: Db, kind: Kind, alarm: Raised): Promise<void> {
  const said = Object.fromEntries(Object.entries(alarm).map(([field, value]) => [`value.${field}`, value]));
  const update = { $set: said, $setOnInsert: { 'value.since': alarm.at }, $inc: { 'value.reads': 1 } };
  await alarmsIn(db).updateOne({ _id: idOf(kind, alarm.name) }, update, { upsert: true });
}

export async function clearIndexAlarm(db: Db, day: IsoDate): Promise<void> {
  await alarmsIn(db).deleteOne({ _id: idOf('index', day) });
}

/** After a whole run: removes those that the run did not raise again. */
export async function clearReferenceAlarms(db: Db, before: Date): Promise<void> {
  await alarmsIn(db).deleteMany({ _id: idsOf('reference'), 'value.at': { $lt: before.toISOString() } });
}

/** Null when the last read of the day was good. */
export async function indexAlarmOf(db: Db, day: IsoDate): Promise<Alarm | null> {
  const doc = await alarmsIn(db).findOne({ _id: idOf('index', day) });
  return doc && alarmOf(doc);
}

/** By day, ascending. */
export async function indexAlarms(db: Db): Promise<Alarm<IsoDate>[]> {
  return (await alarmsOf(db, 'index')) as Alarm<IsoDate>[];
}

/** By name, ascending. */
export function referenceAlarms(db: Db): Promise<Alarm[]> {
  return alarmsOf(db, 'reference');
}

async function alarmsOf(db: Db, kind: Kind): Promise<Alarm[]> {
  return (
    await alarmsIn(db)
      .find({ _id: idsOf(kind) })
      .sort({ _id: 1 })
      .toArray()
  ).map(alarmOf);
}

/** Counts come back as integers of 64 bits. */
const alarmOf = ({ value }: SettingDoc<Alarm>): Alarm => ({ ...value, reads: Number(value.reads) });
