/** A member of a brief, with the value that the rest of the brief gives it. */
export type Derived = readonly [what: string, expected: unknown, actual: unknown];

export function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}

/** 0 where no dollars are known. */
export function cents(dollars: number | null): number {
  return Math.floor((dollars ?? 0) * 100 + 0.5);
}
