/**
 * Union-find over shared keys: two items belong together when they share a key, directly or
 * through others. Answers how many groups there are. An item without keys is a group of its own.
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

/** Groups of items that `linked` joins, directly or through others; members keep no promised order. */
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

/** Items by key, in the order in which the keys and the items come. */
export function groupBy<T, K extends string>(items: readonly T[], keyOf: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}
