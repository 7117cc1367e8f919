import type { Cik, Cusip } from '../ids.ts';

function numbering<T extends string>() {
  const numbers = new Map<T, number>();
  const texts: T[] = [];
  return {
    /** The number of the text; a new text gets the next one. */
    numberOf(text: T): number {
      const known = numbers.get(text);
      if (known !== undefined) return known;
      numbers.set(text, texts.length);
      return texts.push(text) - 1;
    },
    /** Undefined for a text that nobody has named. */
    known: (text: T): number | undefined => numbers.get(text),
    textOf: (number: number): T => texts[number] as T,
    size: () => texts.length,
  };
}

/** Shared by the columns of all quarters, so that a security has one number in each of them. */
export type Names = ReturnType<typeof emptyNames>;

export function emptyNames() {
  return {
    managers: numbering<Cik>(),
    securities: numbering<Cusip>(),
    /** Issuers as reports spell them. */
    issuers: numbering<string>(),
  };
}
