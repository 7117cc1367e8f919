/** The first items of an order, of however many, in bounded memory. */
export type Worst<T> = {
  readonly add: (item: T) => void;
  readonly total: () => number;
  readonly first: () => T[];
};

/** `compare` puts the worst first; equal items keep no order of arrival, so it must be total. */
export function worstOf<T>(limit: number, compare: (a: T, b: T) => number): Worst<T> {
  let kept: T[] = [];
  let total = 0;
  const cut = (): T[] => kept.sort(compare).slice(0, limit);
  return {
    add(item) {
      total += 1;
      kept.push(item);
      if (kept.length > limit * 2 + 64) kept = cut();
    },
    total: () => total,
    first: () => cut(),
  };
}

/** Larger first, then by the key ascending. */
export function byAmount<T>(
  amountOf: (item: T) => bigint,
  keyOf: (item: T) => string,
): (a: T, b: T) => number {
  return (a, b) => {
    const [left, right] = [amountOf(a), amountOf(b)];
    if (left !== right) return left > right ? -1 : 1;
    return keyOf(a) < keyOf(b) ? -1 : Number(keyOf(a) > keyOf(b));
  };
}
