import { type Collection, type Db, MongoServerError } from 'mongodb';
import type { Cik, Cusip } from '../../domain/ids.ts';
import { bucketOf, POSITION_BUCKETS } from '../report/positions.ts';

/**
 * The search index lies in parts, each one document: funds and their managers by CIK (`f0` to `ff`),
 * securities by the buckets of their positions (`h0` to `hf`). A part is small enough to be written
 * as a whole when one entry changes, and the whole is few enough documents to be looked at for every
 * change. Readers keep the parts in memory.
 */
export const PARTS_OF_A_KIND = 16;

const numbers = Array.from({ length: PARTS_OF_A_KIND }, (_, n) => n.toString(16));
export const SEARCH_PARTS: readonly string[] = [
  ...numbers.map((n) => `f${n}`),
  ...numbers.map((n) => `h${n}`),
];

const BUCKETS_PER_PART = POSITION_BUCKETS / PARTS_OF_A_KIND;

export function isSecurityPart(part: string): boolean {
  return part.startsWith('h');
}

export function partOfFund(cik: Cik): string {
  return `f${(Number(cik) % PARTS_OF_A_KIND).toString(16)}`;
}

export function partOfSecurity(cusip: Cusip | string): string {
  return `h${Math.floor(Number.parseInt(bucketOf(cusip), 16) / BUCKETS_PER_PART).toString(16)}`;
}

/** The buckets of positions whose securities stand in the part. */
export function bucketsOfPart(part: string): string[] {
  const first = Number.parseInt(part.slice(1), 16) * BUCKETS_PER_PART;
  return Array.from({ length: BUCKETS_PER_PART }, (_, n) => (first + n).toString(16).padStart(3, '0'));
}

/** A document that is replaced as a whole, only by an equal or later version. */
export type Derived = {
  _id: string;
  /** Version of the mark that it was computed under. */
  version: number;
  /** When it was computed last, changed or not. */
  at: string;
};

export async function replaceDerived<T extends Derived>(collection: Collection<T>, doc: T): Promise<void> {
  const { _id, ...rest } = doc;
  try {
    await (collection as unknown as Collection<Derived>).replaceOne(
      { _id, version: { $lte: doc.version } },
      rest,
      {
        upsert: true,
      },
    );
  } catch (error) {
    // A later version stands there: it was computed from later inputs.
    if (!(error instanceof MongoServerError && error.code === 11000)) throw error;
  }
}

/** When each of the documents was computed last; those that never were are missing. */
export async function computedAt(
  db: Db,
  collection: 'search_parts' | 'search_holders',
  ids: readonly string[],
): Promise<Map<string, string>> {
  const docs = await db
    .collection<Derived>(collection)
    .find({ _id: { $in: [...ids] } }, { projection: { at: 1 } })
    .toArray();
  return new Map(docs.map((doc) => [doc._id, doc.at]));
}
