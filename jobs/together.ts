import { isOutage } from '../src/store/mongo/write.ts';

/**
 * Does work for all items at once, and where that fails for each alone, so that one that cannot be done leaves the
 * others. Returns what was done, and the error of each that failed. An outage of the database is no fault of an item
 * and is thrown.
 */
export async function together<T, R>(
  items: readonly T[],
  work: (items: readonly T[]) => Promise<R>,
): Promise<{ readonly done: readonly R[]; readonly failed: ReadonlyMap<T, unknown> }> {
  try {
    return { done: [await work(items)], failed: new Map() };
  } catch (error) {
    if (isOutage(error)) throw error;
    const [only, ...others] = items;
    if (only !== undefined && others.length === 0) return { done: [], failed: new Map([[only, error]]) };
  }
  const failed = new Map<T, unknown>();
  const done: R[] = [];
  for (const item of items) {
    try {
      done.push(await work([item]));
    } catch (error) {
      if (isOutage(error)) throw error;
      failed.set(item, error);
    }
  }
  return { done, failed };
}
