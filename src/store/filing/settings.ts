import type { Collection, Db } from 'mongodb';
import type { IsoDate } from '../../domain/ids.ts';
import { unavailable } from '../../errors.ts';
import { insertOrLose } from '../mongo/write.ts';

type SettingDoc<Value = string> = { _id: string; value: Value };

/** Small things of which there is one: a date, a secret, how far something is, what was found last. */
function settingsIn<Value = string>(db: Db): Collection<SettingDoc<Value>> {
  return db.collection<SettingDoc<Value>>('settings');
}

/** Null before it was saved. */
export async function settingOf<Value = string>(db: Db, name: string): Promise<Value | null> {
  const doc = await settingsIn<Value>(db).findOne({ _id: name });
  return doc?.value ?? null;
}

export async function saveSetting(db: Db, name: string, value: unknown): Promise<void> {
  await settingsIn<unknown>(db).updateOne({ _id: name }, { $set: { value } }, { upsert: true });
}

/** A value of the installation, made by the first process that asks for it. */
export async function settingOnce(db: Db, name: string, make: () => string): Promise<string> {
  const known = await settingOf(db, name);
  if (known !== null) return known;
  const value = make();
  return (await insertOrLose(settingsIn(db), { _id: name, value })) ? value : settingOnce(db, name, make);
}

const AS_OF = 'as_of';

/**
 * The published as-of date: "today" in New York for every reader, so that all workers compute one
 * window and equal ids. Null before a worker published one.
 */
export function publishedAsOf(db: Db): Promise<IsoDate | null> {
  return settingOf<IsoDate>(db, AS_OF);
}

/** The published as-of date. Throws `as_of_unpublished` (503, retryable) before a worker published one. */
export async function requireAsOf(db: Db): Promise<IsoDate> {
  const asOf = await publishedAsOf(db);
  if (asOf !== null) return asOf;
  throw unavailable('as_of_unpublished', 'no as-of date is published yet');
}

/**
 * Replaces the date that was read before, or publishes the first one. False when another worker was
 * faster: its date stands.
 */
export async function publishAsOf(db: Db, asOf: IsoDate, before: IsoDate | null = null): Promise<boolean> {
  if (before === null) return insertOrLose(settingsIn(db), { _id: AS_OF, value: asOf });
  const { matchedCount } = await settingsIn(db).updateOne(
    { _id: AS_OF, value: before },
    { $set: { value: asOf } },
  );
  return matchedCount === 1;
}

const TURN = 'as_of_turn';

/** The date that an unfinished turn of the as-of date started from; null when none is under way. */
export function turnStartedFrom(db: Db): Promise<IsoDate | null> {
  return settingOf<IsoDate>(db, TURN);
}

export async function startTurn(db: Db, from: IsoDate): Promise<void> {
  await insertOrLose(settingsIn(db), { _id: TURN, value: from });
}

export async function endTurn(db: Db): Promise<void> {
  await settingsIn(db).deleteOne({ _id: TURN });
}

const POLLED = 'polled_at';

/** When EDGAR's feed was read to its end last, for every form, ISO 8601 UTC; null before. */
export function polledAt(db: Db): Promise<string | null> {
  return settingOf(db, POLLED);
}

export async function notePolled(db: Db, at: string): Promise<void> {
  await saveSetting(db, POLLED, at);
}

const REPARSED = 'reparsed_at';

/** When stored filings were read again last, ISO 8601 UTC; null when they never were. */
export function reparsedAt(db: Db): Promise<string | null> {
  return settingOf(db, REPARSED);
}

export async function noteReparsed(db: Db, at: string): Promise<void> {
  await saveSetting(db, REPARSED, at);
}
