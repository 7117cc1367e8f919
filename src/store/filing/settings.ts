import type { Collection, Db } from 'mongodb';
import type { IsoDate } from '../../domain/ids.ts';
import { unavailable } from '../../errors.ts';
import { insertOrLose } from '../mongo/write.ts';

export type SettingDoc<Value = string> = { _id: string; value: Value };

/** Small things of which there is one: a date, a secret, how far something is, what was found last. */
export function settingsIn<Value = string>(db: Db): Collection<SettingDoc<Value>> {
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

/** A reference file that was read to its end. */
type Imported = { readonly sha256: string; readonly at: string };

const importedName = (file: string): string => `imported|${file}`;

/** With a hash: a file of exactly these bytes. Without: the file of that name, which never changes. */
export async function isImported(db: Db, name: string, sha256?: string): Promise<boolean> {
  const known = await settingOf<Imported>(db, importedName(name));
  return known !== null && (sha256 === undefined || known.sha256 === sha256);
}

export async function noteImported(db: Db, name: string, sha256: string, now: Date): Promise<void> {
  const imported: Imported = { sha256, at: now.toISOString() };
  await saveSetting(db, importedName(name), imported);
}

/** Stands for all reference data together: noted when a run has read all of it. */
export const REFERENCE_RUN = 'reference run';

/** Numbers of the stream that no event will have: a fence after a restore (rule 13.1). Both ends belong to it. */
type SeqGap = { readonly from: number; readonly to: number; readonly at: string };

const GAPS = 'seq_gaps';

/** In ascending order; there are as many as there were restores. */
export async function seqGaps(db: Db): Promise<SeqGap[]> {
  const gaps = (await settingOf<SeqGap[]>(db, GAPS)) ?? [];
  return gaps.map(({ from, to, at }) => ({ from: Number(from), to: Number(to), at }));
}

/** The next event gets a higher number than this; 0 without a fence. */
export async function seqFloor(db: Db): Promise<number> {
  return (await seqGaps(db)).at(-1)?.to ?? 0;
}

/** No event is numbered meanwhile: the caller has seen that no worker runs. */
export async function noteGap(db: Db, gap: SeqGap): Promise<void> {
  await saveSetting(db, GAPS, [...(await seqGaps(db)), gap]);
}

/** A listing that was read to its end and noted. While EDGAR has the same, it holds nothing new. */
export type ListingRead = {
  readonly url: string;
  readonly headers: { readonly etag: string | null; readonly lastModified: string | null };
  /** The form types that were looked for: another release may carry more. */
  readonly forms: readonly string[];
};

const feedName = (feed: string): string => `feed_read|${feed}`;

/** The newest page of a feed when it was read last; null before. */
export function feedReadOf(db: Db, feed: string): Promise<ListingRead | null> {
  return settingOf<ListingRead>(db, feedName(feed));
}

export function saveFeedRead(db: Db, feed: string, read: ListingRead): Promise<void> {
  return saveSetting(db, feedName(feed), read);
}
