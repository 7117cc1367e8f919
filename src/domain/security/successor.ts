import { compare } from '../compare.ts';
import type { Cusip, IsoDate, Ticker } from '../ids.ts';
import { firstSeen, isPlaceholder, lastSeen, type MappingIndex, type SecurityMapping } from './mapping.ts';
import { withoutSeparator } from './symbol.ts';

type Known = { readonly index: MappingIndex; readonly asOf: IsoDate };

/**
 * The ticker that a security has today, where the one asked for is its former ticker (rule 3.10). A security
 * has one symbol at a time: another one that sources began to print later, and printed after the last
 * time that they printed this one, took its place. Null when none did.
 */
export function successorOf(ticker: Ticker, cusip: Cusip, { index, asOf }: Known): Ticker | null {
  const seen = seenAs(cusip, { index, asOf });
  const own = seen.filter((one) => isSymbol(one, ticker));
  const [began] = own.map(({ first }) => first).sort(compare);
  const ended = givenUpOn(ticker, cusip, { index, asOf });
  if (began === undefined || ended === null) return null;
  const [newest] = seen
    .filter((one) => !isSymbol(one, ticker) && one.last > ended && one.first > began)
    .sort((a, b) => compare(b.last, a.last) || compare(b.first, a.first) || compare(a.symbol, b.symbol));
  return newest?.symbol ?? null;
}

/** The last day on which sources printed the ticker for the CUSIP; null when they never did. */
export function givenUpOn(ticker: Ticker, cusip: Cusip, known: Known): string | null {
  const own = seenAs(cusip, known).filter((one) => isSymbol(one, ticker));
  return (
    own
      .map(({ last }) => last)
      .sort(compare)
      .at(-1) ?? null
  );
}

type Seen = { readonly symbol: Ticker; readonly first: string; readonly last: string };

function seenAs(cusip: Cusip, { index, asOf }: Known): Seen[] {
  return (index.byCusip.get(cusip) ?? []).flatMap((mapping: SecurityMapping) => {
    const last = lastSeen(mapping, asOf);
    return last === null || isPlaceholder(mapping)
      ? []
      : [{ symbol: mapping.symbol, first: firstSeen(mapping) ?? last, last }];
  });
}

function isSymbol({ symbol }: Seen, ticker: Ticker): boolean {
  return withoutSeparator(symbol) === withoutSeparator(ticker);
}
