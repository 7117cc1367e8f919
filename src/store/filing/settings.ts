import type { Collection, Db } from 'mongodb';
import type { IsoDate } from '../../domain/ids.ts';
import { AppError } from '../../errors.ts';

type SettingDoc = { _id: string; value: string };

function settingsIn(db: Db): Collection<SettingDoc> {
  return db.collection<SettingDoc>('settings');
}

/**
 * The published as-of date: "today" in New York for every reader, so that all workers compute one
 * window and equal ids. Null before the scheduler published one.
 */
export async function publishedAsOf(db: Db): Promise<IsoDate | null> {
  const doc = await settingsIn(db).findOne({ _id: 'as_of' });
  return doc === null ? null : (doc.value as IsoDate);
}

export async function publishAsOf(db: Db, asOf: IsoDate): Promise<void> {
  await settingsIn(db).updateOne({ _id: 'as_of' }, { $set: { value: asOf } }, { upsert: true });
}

/** The date that an unfinished turn of the as-of date started from; null when none is under way. */
export async function turnStartedFrom(db: Db): Promise<IsoDate | null> {
  const doc = await settingsIn(db).findOne({ _id: 'as_of_turn' });
  return doc === null ? null : (doc.value as IsoDate);
}

export async function startTurn(db: Db, from: IsoDate): Promise<void> {
  await settingsIn(db).updateOne({ _id: 'as_of_turn' }, { $setOnInsert: { value: from } }, { upsert: true });
}

export async function endTurn(db: Db): Promise<void> {
  await settingsIn(db).deleteOne({ _id: 'as_of_turn' });
}

/** Null before it was saved. */
export async function settingOf(db: Db, name: string): Promise<string | null> {
  const doc = await settingsIn(db).findOne({ _id: name });
  return doc?.value ?? null;
}

export async function saveSetting(db: Db, name: string, value: string): Promise<void> {
  await settingsIn(db).updateOne({ _id: name }, { $set: { value } }, { upsert: true });
}

/** A secret of the installation, made by the first process that asks for it. */
export async function settingOnce(db: Db, name: string, make: () => string): Promise<string> {
  await settingsIn(db).updateOne({ _id: name }, { $setOnInsert: { value: make() } }, { upsert: true });
  const doc = await settingsIn(db).findOne({ _id: name });
  if (doc === null) throw new Error(`setting ${name} vanished`);
  return doc.value;
}

/** The published as-of date. Throws `as_of_unpublished` (retryable) before the scheduler ran. */
export async function requireAsOf(db: Db): Promise<IsoDate> {
  const asOf = await publishedAsOf(db);
  if (asOf !== null) return asOf;
  throw new AppError('as_of_unpublished', 'no as-of date is published yet', { status: 503, retry: true });
}
