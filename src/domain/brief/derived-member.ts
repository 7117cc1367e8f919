import { canonicalJson } from '../canonical.ts';

/** A member of a brief, with the value that the rest of the brief gives it. */
export type Derived = readonly [what: string, expected: unknown, actual: unknown];

const WHOLE = /^(?:0|-?[1-9][0-9]*)$/;

export function whole(text: unknown): bigint {
  if (typeof text === 'string' && WHOLE.test(text)) return BigInt(text);
  throw new TypeError(`Not a whole number: ${canonicalJson(text)}`);
}

export function isTrue(flag: unknown): boolean {
  if (typeof flag === 'boolean') return flag;
  throw new TypeError(`Not true or false: ${canonicalJson(flag)}`);
}

export function sum(counts: readonly unknown[]): number {
  return counts.reduce((total: number, count) => {
    if (typeof count === 'number' && Number.isSafeInteger(count) && count >= 0) return total + count;
    throw new TypeError(`Not a count: ${canonicalJson(count)}`);
  }, 0);
}

export function cents(dollars: unknown): number {
  if (dollars === null) return 0;
  if (typeof dollars === 'number') return Math.floor(dollars * 100 + 0.5);
  throw new TypeError(`Not an amount: ${canonicalJson(dollars)}`);
}
