import { createHash } from 'node:crypto';
import type { Db } from 'mongodb';
import { insertNew, JOURNALED } from '../mongo/write.ts';

/** Text of the credits Redis that cannot be read as a change of a balance. Kept for the operator. */
export type SetAsideDoc = {
  /** `<from>|<its name in Redis>|<digest of the text>` */
  _id: string;
  from: 'log' | 'open call';
  text: string;
  /** ISO 8601 UTC */
  at: string;
  /** An operator has looked at it, and it needs nothing more. */
  settled?: Settled;
};

export type Settled = { readonly by: string; readonly note: string; readonly at: string };

const setAsideIn = (db: Db) => db.collection<SetAsideDoc>('credits_set_aside');

type Unreadable = Omit<SetAsideDoc, '_id' | 'settled'> & { readonly name: string };

/** Keeps each text once, however often it is set aside. */
export async function setAside(db: Db, unreadable: readonly Unreadable[]): Promise<void> {
  const docs = unreadable.map(({ name, ...rest }) => {
    const digest = createHash('sha256').update(rest.text).digest('hex').slice(0, 16);
    return { _id: `${rest.from}|${name}|${digest}`, ...rest };
  });
  await insertNew(setAsideIn(db), docs, JOURNALED);
}

type Page = { readonly settled: boolean; readonly limit: number };

/** The first `limit` of them, in the order of their names: those that wait for the operator, or those settled. */
export function listSetAside(db: Db, { settled, limit }: Page): Promise<SetAsideDoc[]> {
  const where = { settled: { $exists: settled } };
  return setAsideIn(db).find(where).sort({ _id: 1 }).limit(limit).toArray();
}

export function findSetAside(db: Db, id: string): Promise<SetAsideDoc | null> {
  return setAsideIn(db).findOne({ _id: id });
}

/** How many wait for the operator. */
export function countSetAside(db: Db): Promise<number> {
  return setAsideIn(db).countDocuments({ settled: { $exists: false } });
}

/** Settles one that waits, or all of them (`id` null). Its text is kept. Returns how many. */
export async function settleSetAside(db: Db, id: string | null, settled: Settled): Promise<number> {
  const which = id === null ? {} : { _id: id };
  const { modifiedCount } = await setAsideIn(db).updateMany(
    { ...which, settled: { $exists: false } },
    { $set: { settled } },
    { writeConcern: JOURNALED },
  );
  return modifiedCount;
}
