import { compare } from '../../domain/compare.ts';
import type { IsoDate, QuarterEnd } from '../../domain/ids.ts';

/** Filings named for a reason. */
const EXAMPLES = 3;

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

/** The part of the store that an audit looks at. */
export type AuditScope = {
  /** Null before the first ingestion has finished: then no position is looked at. */
  readonly asOf: IsoDate | null;
  /** Only reports of this quarter, and trades placed in it; null for all. */
  readonly quarterEnd: QuarterEnd | null;
  /** The quarter whose positions are read: the one asked for, else the latest reported one. */
  readonly positionsOf: QuarterEnd | null;
  /** Rows of a section. */
  readonly limit: number;
};

/** A part of the page: a sentence with the totals, and the worst rows. The keys of a row are its columns. */
export type Section = {
  readonly title: string;
  readonly about: string;
  readonly rows: readonly Readonly<Record<string, string | number | boolean | null>>[];
};

/** Cents as dollars: `1234.5`. */
export function usd(cents: bigint): string {
  const size = cents < 0n ? -cents : cents;
  const rest = size % 100n === 0n ? '' : `.${(size % 100n).toString().padStart(2, '0')}`;
  return `${cents < 0n ? '-' : ''}${size / 100n}${rest}`;
}
