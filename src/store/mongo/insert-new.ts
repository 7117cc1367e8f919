import { type Collection, type Document, MongoBulkWriteError, type OptionalUnlessRequiredId } from 'mongodb';

const DUPLICATE_KEY = 11000;
/**
 * The journal is written in order: the journaled write that follows and points at these documents
 * makes them durable too. Without one nobody has relied on them.
 */
export const UNJOURNALED = { w: 'majority', j: false } as const;
/** For documents that this process will not write again, because it remembers that it did. */
export const JOURNALED = { w: 'majority', j: true } as const;

/**
 * Inserts the documents that are not there yet and answers the places of those that were inserted.
 * An insert costs a tenth of an upsert; a document that exists is left as it is.
 */
export async function insertNew<T extends Document>(
  collection: Collection<T>,
  docs: readonly OptionalUnlessRequiredId<T>[],
  writeConcern: typeof UNJOURNALED | typeof JOURNALED = UNJOURNALED,
): Promise<number[]> {
  if (docs.length === 0) return [];
  try {
    await collection.insertMany([...docs], { ordered: false, writeConcern });
    return docs.map((_, place) => place);
  } catch (error) {
    if (!(error instanceof MongoBulkWriteError)) throw error;
    const refused = [error.writeErrors].flat();
    const other = refused.find((one) => one.code !== DUPLICATE_KEY);
    if (other !== undefined || refused.length === 0) throw error;
    const known = new Set(refused.map((one) => one.index));
    return docs.map((_, place) => place).filter((place) => !known.has(place));
  }
}
