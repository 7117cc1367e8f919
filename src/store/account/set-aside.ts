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
};

const setAsideIn = (db: Db) => db.collection<SetAsideDoc>('credits_set_aside');

type Unreadable = Omit<SetAsideDoc, '_id'> & { readonly name: string };

/** Keeps each text once, however often it is set aside. */
export async function setAside(db: Db, unreadable: readonly Unreadable[]): Promise<void> {
  const docs = unreadable.map(({ name, ...rest }) => {
    const digest = createHash('sha256').update(rest.text).digest('hex').slice(0, 16);
    return { _id: `${rest.from}|${name}|${digest}`, ...rest };
  });
  await insertNew(setAsideIn(db), docs, JOURNALED);
}

/** The first `limit` of them, in the order of their names. */
export function listSetAside(db: Db, limit: number): Promise<SetAsideDoc[]> {
  return setAsideIn(db).find().sort({ _id: 1 }).limit(limit).toArray();
}

export function countSetAside(db: Db): Promise<number> {
  return setAsideIn(db).countDocuments();
}
