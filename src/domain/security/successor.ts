import { compare } from '../compare.ts';
import type { Cusip, IsoDate, Ticker } from '../ids.ts';
import { firstSeen, lastSeen, type MappingIndex, type SecurityMapping } from './mapping.ts';
import { withoutSeparator } from './symbol.ts';

/**
 * The ticker that a security has today, where the one asked for is its former ticker (rule 3.10). A security
 * has one symbol at a time: another one that sources began to print later, and printed after the last
 * time that they printed this one, took its place. Null when none did.
 */
export function successorOf(
  ticker: Ticker,
  cusip: Cusip,
  { index, asOf }: { readonly index: MappingIndex; readonly asOf: IsoDate },
): Ticker | null {
  const bare = withoutSeparator(ticker);
  const seen = (index.byCusip.get(cusip) ?? []).filter((mapping) => lastSeen(mapping, asOf) !== null);
  const isOwn = ({ symbol }: SecurityMapping): boolean => withoutSeparator(symbol) === bare;
  const own = seen.filter(isOwn);
  const ownFirst = own.map(firstOf).sort(compare)[0];
  const ownLast = own.map(lastOf).sort(compare).at(-1);
  if (ownFirst === undefined || ownLast === undefined) return null;
  const later = seen.filter((one) => !isOwn(one) && lastOf(one) > ownLast && firstOf(one) > ownFirst);
  const [newest] = later.sort(
    (a, b) => compare(lastOf(b), lastOf(a)) || compare(firstOf(b), firstOf(a)) || compare(a.symbol, b.symbol),
  );
  return newest?.symbol ?? null;

  function lastOf(mapping: SecurityMapping): string {
    return lastSeen(mapping, asOf) ?? '';
  }
}

function firstOf(mapping: SecurityMapping): string {
  return firstSeen(mapping) ?? '';
}
