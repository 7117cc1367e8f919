import {
  type Collection,
  type Db,
  type Document,
  MongoBulkWriteError,
  MongoErrorLabel,
  MongoNetworkError,
  MongoServerError,
  MongoServerSelectionError,
  type OptionalUnlessRequiredId,
} from 'mongodb';
import { existingAmong } from './lists.ts';

const DUPLICATE_KEY = 11000;
/**
 * For documents that a later journaled write points at: the journal is in order, so that write makes
 * them durable too. Without such a write nothing relies on them.
 */
export const UNJOURNALED = { w: 'majority', j: false } as const;
/** For documents that this process will not write again, because it remembers that it did. */
export const JOURNALED = { w: 'majority', j: true } as const;
type Journal = typeof UNJOURNALED | typeof JOURNALED;

export function isDuplicate(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === DUPLICATE_KEY;
}

/**
 * Errors of a server that is no primary any more, shuts down or cannot reach others. Source: server discovery and
 * monitoring specification of MongoDB's drivers ("not writable primary", "node is recovering"), and those codes that
 * its retryable writes specification adds.
 */
const OUTAGE_CODES: ReadonlySet<unknown> = new Set([
  ...[6, 7, 89, 91, 134, 189, 262, 9001, 10058, 10107, 11600, 11602, 13435, 13436],
]);

/** Whether the database could not be reached, or had no primary: what was asked is not at fault. */
export function isOutage(error: unknown): boolean {
  if (error instanceof MongoNetworkError || error instanceof MongoServerSelectionError) return true;
  if (!(error instanceof MongoServerError)) return false;
  return error.hasErrorLabel(MongoErrorLabel.RetryableWriteError) || OUTAGE_CODES.has(error.code);
}

/**
 * The places in a bulk write whose ids are taken. An error of any other kind is thrown, also where the others were
 * written and are not known to be kept: the next try finds their ids taken, and waits for them.
 */
export function placesOfDuplicates(error: unknown): number[] {
  if (!(error instanceof MongoBulkWriteError) || error.result.getWriteConcernError()) throw error;
  const refused = [error.writeErrors].flat();
  if (refused.length === 0 || refused.some(({ code }) => code !== DUPLICATE_KEY)) throw error;
  return refused.map(({ index }) => index);
}

/**
 * Inserts the documents that do not exist yet and returns the places of the inserted ones. An insert
 * costs a tenth of an upsert. A document that exists stays as it is.
 */
export async function insertNew<T extends Document>(
  collection: Collection<T>,
  docs: readonly OptionalUnlessRequiredId<T>[],
  writeConcern: Journal = UNJOURNALED,
): Promise<number[]> {
  if (docs.length === 0) return [];
  try {
    await collection.insertMany([...docs], { ordered: false, writeConcern });
    return docs.map((_, place) => place);
  } catch (error) {
    const known = new Set(placesOfDuplicates(error));
    return docs.map((_, place) => place).filter((place) => !known.has(place));
  }
}

/** False when the document, or one with the same unique key, exists: of several inserts one wins. */
export async function insertOrLose<T extends Document>(
  collection: Collection<T>,
  doc: OptionalUnlessRequiredId<T>,
): Promise<boolean> {
  return (await insertNew(collection, [doc], JOURNALED)).length === 1;
}

/** A document that is replaced as a whole, only by an equal or later version. */
export type Versioned = { _id: string; version: number };

/** Those of which a later version is stored stay as they are. One command, which has one wait for the journal. */
export async function replaceUnlessNewer<T extends Versioned>(
  collection: Collection<T>,
  docs: readonly T[],
): Promise<void> {
  if (docs.length === 0) return;
  const replace = async (some: readonly T[], upsert: boolean): Promise<void> => {
    const writes = some.map(({ _id, ...replacement }) => ({
      replaceOne: { filter: { _id, version: { $lte: replacement.version } }, replacement, upsert },
    }));
    const versioned = collection as unknown as Collection<Versioned>;
    await versioned.bulkWrite(writes, { ordered: false, writeConcern: JOURNALED });
  };
  try {
    await replace(docs, true);
  } catch (error) {
    // Their ids are taken, by later versions or by what was inserted at the same moment.
    const taken = new Set(placesOfDuplicates(error));
    const left = docs.filter((_, place) => taken.has(place));
    await replace(left, false);
  }
}

/** From so many on it is cheaper to look first: the driver compares each refused insert with all others. */
const MANY = 500;

/** The documents that are not stored, and one stored document, whose insert makes all stored ones durable. */
async function unlessStored<T extends { _id: string }>(
  collection: Collection<T>,
  docs: readonly T[],
): Promise<readonly T[]> {
  if (docs.length < MANY) return docs;
  const ids = docs.map(({ _id }) => _id);
  const stored = await existingAmong(collection, ids);
  const witness = docs.find(({ _id }) => stored.has(_id));
  return docs.filter((doc) => doc === witness || !stored.has(doc._id));
}

/** Documents of fixed content that are inserted once: this process remembers which ones exist. */
export function noteOnce<T extends { _id: string }>(
  collection: (db: Db) => Collection<T>,
  writeConcern: Journal,
) {
  const byDatabase = new Map<string, Set<string>>();
  const knownIn = (db: Db): Set<string> => {
    const known = byDatabase.get(db.databaseName) ?? new Set<string>();
    byDatabase.set(db.databaseName, known);
    return known;
  };
  return {
    async note(db: Db, docs: readonly T[]): Promise<void> {
      const known = knownIn(db);
      const fresh = new Map(docs.filter(({ _id }) => !known.has(_id)).map((doc) => [doc._id, doc]));
      const missing = await unlessStored(collection(db), [...fresh.values()]);
      await insertNew(collection(db), missing as OptionalUnlessRequiredId<T>[], writeConcern);
      for (const id of fresh.keys()) known.add(id);
    },
    /** Ids that a crash of the database may have lost. */
    forget(db: Db, ids: readonly string[]): void {
      for (const id of ids) knownIn(db).delete(id);
    },
  };
}
