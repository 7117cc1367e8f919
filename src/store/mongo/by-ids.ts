import type { Collection, Filter, WithId } from 'mongodb';

/** So many ids a read: the embedded engine compares every id of a list with every other. */
const BATCH = 100;

/** From so many on, reading all that one index entry leads to costs less than reading each by id. */
export const MANY = 200;

/** The documents of exact ids, in any order; ids that have none are left out. */
export async function findByIds<T extends { _id: string }>(
  collection: Collection<T>,
  ids: readonly string[],
): Promise<WithId<T>[]> {
  const unique = [...new Set(ids)];
  const found: WithId<T>[] = [];
  for (let start = 0; start < unique.length; start += BATCH) {
    const filter = { _id: { $in: unique.slice(start, start + BATCH) } } as Filter<T>;
    found.push(...(await collection.find(filter).toArray()));
  }
  return found;
}
