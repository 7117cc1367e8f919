import type { Cusip, QuarterEnd } from './ids.ts';
import type { HeldSecurity } from './search-entry.ts';
import { wordsOf } from './search-text.ts';

/** How many managers spell the issuer of a security how. */
export type HolderTally = Map<Cusip, Map<string, number>>;

/** Spellings beyond these are rare, and misspelt more often than not. */
const MOST_SPELLINGS = 4;

/** Notes one manager that holds the security. */
export function noteHolder(tally: HolderTally, cusip: Cusip, issuer: string): void {
  const spellings = tally.get(cusip) ?? new Map<string, number>();
  tally.set(cusip, spellings);
  spellings.set(issuer, (spellings.get(issuer) ?? 0) + 1);
}

/** The securities of a quarter by CUSIP, with their holders. The order of noting never matters. */
export function heldIn(tally: HolderTally, latestQuarterEnd: QuarterEnd): HeldSecurity[] {
  return [...tally]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([cusip, spellings]) => ({
      cusip,
      latestQuarterEnd,
      holders: [...spellings.values()].reduce((sum, count) => sum + count, 0),
      issuers: usualSpellings(spellings),
    }));
}

/** The most frequent first, ties by text; one of those that are read alike. */
function usualSpellings(spellings: ReadonlyMap<string, number>): string[] {
  const usual = [...spellings].sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1));
  const once = new Map<string, string>();
  for (const [spelling] of usual) {
    const read = wordsOf(spelling).join(' ');
    if (read !== '' && !once.has(read)) once.set(read, spelling);
  }
  return [...once.values()].slice(0, MOST_SPELLINGS);
}

/** Each security by the latest quarter in which anyone holds it. */
export function latestHeld(quarters: readonly (readonly HeldSecurity[])[]): HeldSecurity[] {
  const latest = new Map<Cusip, HeldSecurity>();
  for (const held of quarters.flat()) {
    const known = latest.get(held.cusip);
    if (known === undefined || known.latestQuarterEnd < held.latestQuarterEnd) latest.set(held.cusip, held);
  }
  return [...latest.values()].sort((a, b) => (a.cusip < b.cusip ? -1 : 1));
}
