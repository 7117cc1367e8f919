import type { Collection, Db } from 'mongodb';

/** The reads of a collection, and where each takes its options. */
const READS = { find: 1, findOne: 1, aggregate: 1, countDocuments: 1, distinct: 2 } as const;

/** A little less than the deadline of a call, so that the database stops before the client is answered. */
const READ_MS = 2_500;

/**
 * The database with a time limit on every read that names none: MongoDB stops the read then. Without it a read
 * goes on after its caller got 503. The option `timeoutMS` of a client would say the same, but this release
 * of the driver ignores it.
 */
export function limitedReads(db: Db, maxTimeMS: number = READ_MS): Db {
  const collection: Db['collection'] = (name, options) =>
    limited(db.collection(name, options), maxTimeMS) as never;
  return Object.assign(Object.create(db) as Db, { collection });
}

function limited(collection: Collection, maxTimeMS: number): Collection {
  const reads = Object.entries(READS).map(([name, at]) => {
    const read = collection[name as keyof typeof READS] as (...args: unknown[]) => unknown;
    const limitedRead = (...args: unknown[]): unknown => {
      const given = [...args, ...Array<undefined>(Math.max(0, at - args.length))];
      given[at] = { maxTimeMS, ...(args[at] as object | undefined) };
      return Reflect.apply(read, collection, given);
    };
    return [name, limitedRead] as const;
  });
  return Object.assign(Object.create(collection) as Collection, Object.fromEntries(reads));
}
