/** Filings named for a reason. */
export const EXAMPLES = 3;

/** How often each key was seen, with the last few accession numbers by which it was. */
export type Tally<K extends string> = {
  readonly add: (keys: Iterable<K>, accession: string | null) => void;
  readonly of: (key: K) => number;
  /** The newest by number, so that the order in which they were seen is in none of them. */
  readonly examples: (key: K) => readonly string[];
};

export function tally<K extends string>(): Tally<K> {
  const seen = new Map<K, { count: number; examples: string[] }>();
  return {
    add(keys, accession) {
      for (const key of keys) {
        const { count, examples } = seen.get(key) ?? { count: 0, examples: [] };
        const named = accession === null ? examples : latestOf([...examples, accession]);
        seen.set(key, { count: count + 1, examples: named });
      }
    },
    of: (key) => seen.get(key)?.count ?? 0,
    examples: (key) => seen.get(key)?.examples ?? [],
  };
}

/** Of several lists too. */
export function latestOf(accessions: readonly string[]): string[] {
  return [...new Set(accessions)].sort().reverse().slice(0, EXAMPLES);
}
