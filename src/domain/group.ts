/**
 * The number of groups when items that share a key, directly or through others, form one group
 * (union-find). An item without keys is a group of its own.
 */
export function countConnected(keySets: readonly (readonly string[])[]): number {
  const parent = new Map<string, string>();
  const find = (key: string): string => {
    let root = key;
    for (let up = parent.get(root); up !== undefined && up !== root; up = parent.get(root)) root = up;
    parent.set(key, root);
    return root;
  };
  for (const [first, ...rest] of keySets) {
    if (first === undefined) continue;
    const root = find(first);
    for (const key of rest) parent.set(find(key), root);
  }
  const roots = new Set(keySets.flatMap(([first]) => (first === undefined ? [] : [find(first)])));
  return roots.size + keySets.filter((keys) => keys.length === 0).length;
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
