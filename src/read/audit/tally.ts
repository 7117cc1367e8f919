import { compare } from '../../domain/compare.ts';
/** Filings named for a reason. */
export const EXAMPLES = 3;

export type Tally<K extends string> = ReturnType<typeof tally<K>>;

/** How often each key was seen, with the last few accession numbers by which it was. */
export function tally<K extends string>() {
  const seen = new Map<K, { count: number; examples: string[] }>();
  return {
    add(keys: Iterable<K>, accession: string | null): void {
      for (const key of keys) {
        const { count, examples } = seen.get(key) ?? { count: 0, examples: [] };
        const named = accession === null ? examples : latestOf([...examples, accession]);
        seen.set(key, { count: count + 1, examples: named });
      }
    },
    of: (key: K) => seen.get(key)?.count ?? 0,
    /** The newest by number, so that the order in which they were seen is in none of them. */
    examples: (key: K): readonly string[] => seen.get(key)?.examples ?? [],
  };
}

/** Of several lists too. */
export function latestOf(accessions: readonly string[]): string[] {
  return [...new Set(accessions)].sort().reverse().slice(0, EXAMPLES);
}

/**
 * The first items of an order, of however many, in bounded memory. `compare` puts the worst first; equal
 * items keep no order of arrival, so it must be total.
 */
export function worstOf<T>(limit: number, compare: (a: T, b: T) => number) {
  let kept: T[] = [];
  let total = 0;
  const cut = (): T[] => kept.sort(compare).slice(0, limit);
  return {
    /** Null for a document without such an item. */
    add(item: T | null): void {
      if (item === null) return;
      total += 1;
      kept.push(item);
      if (kept.length > limit * 2 + 64) kept = cut();
    },
    found: () => ({ total, worst: cut() }),
  };
}

/** Larger first, then by the key ascending. */
export function byAmount<T>(amountOf: (item: T) => bigint, keyOf: (item: T) => string) {
  return (a: T, b: T): number => {
    const [left, right] = [amountOf(a), amountOf(b)];
    return compare(right, left) || compare(keyOf(a), keyOf(b));
  };
}
