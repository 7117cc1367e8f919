import type { Cik } from '../ids.ts';

/** The person known to run a fund's portfolio, with the public source that says so. */
export type CuratedManager = { readonly name: string; readonly source: string };

/**
 * A short list kept by hand: a 13F names only a signer, who is no portfolio manager (rule 1.2).
 * An entry needs a source that a reader can open.
 */
const CURATED: Readonly<Record<string, CuratedManager>> = {
  '0001067983': { name: 'Warren Buffett', source: 'https://www.berkshirehathaway.com/letters/letters.html' },
  '0001079114': { name: 'David Einhorn', source: 'https://www.greenlightcapital.com/' },
};

/** Null for a manager that is not on the list. */
export function curatedManagerOf(cik: Cik): CuratedManager | null {
  return CURATED[cik] ?? null;
}
