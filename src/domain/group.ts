/**
 * The number of groups when items that share a key, directly or through others, form one group. An item
 * without keys is a group of its own.
 */
export function countConnected(keySets: readonly (readonly string[])[]): number {
  let groups: ReadonlySet<string>[] = [];
  for (const keys of keySets) {
    const joined = groups.filter((group) => keys.some((key) => group.has(key)));
    const apart = groups.filter((group) => !joined.includes(group));
    groups = [...apart, new Set([...keys, ...joined.flatMap((group) => [...group])])];
  }
  return groups.length;
}

/** Groups of items that `linked` joins, directly or through others. The order of members is not defined. */
export function connectedGroups<T>(items: readonly T[], linked: (a: T, b: T) => boolean): T[][] {
  let groups: T[][] = [];
  for (const item of items) {
    const joined = groups.filter((group) => group.some((other) => linked(other, item)));
    const rest = groups.filter((group) => !joined.includes(group));
    const [first, ...others] = joined;
    groups = first === undefined ? [...rest, [item]] : [...rest, [...first, ...others.flat(), item]];
  }
  return groups;
}

/** Items by key; keys and items keep the order of the input. Items with the key null are left out. */
export function groupBy<T, K>(items: readonly T[], keyOf: (item: T) => K | null): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    if (key === null) continue;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

/** How many items have each key; keys keep the order of the input. */
export function countBy<T, K>(items: readonly T[], keyOf: (item: T) => K): Map<K, number> {
  const counts = new Map<K, number>();
  for (const item of items) {
    const key = keyOf(item);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

/** The items in their order, at most `size` at a time. */
export function* batches<T>(items: readonly T[], size: number): Generator<T[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}

/** The same of items that come one after another. */
export async function* batchesOf<T>(items: AsyncIterable<T>, size: number): AsyncGenerator<T[]> {
  let batch: T[] = [];
  for await (const item of items) {
    batch.push(item);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
