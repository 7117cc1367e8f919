import type { Accession, Cik } from '../ids.ts';
import { UNSOUND } from '../quality/quality.ts';
import { MIN_PRICE_FILERS } from '../report/thresholds.ts';
import type { FiledPosition } from './filed-security.ts';
import { MIN_SCALED_VALUE } from './thresholds.ts';

/** The scale of each filing by its date: cents in one unit of the value column. */
export type FiledScales = ReadonlyMap<Accession, bigint>;

/** The price of a share by one filer. */
export type Quote = {
  readonly position: FiledPosition;
  readonly accession: Accession;
  /** Decimal logarithm of cents per share; a statistic, so it is in floating point. */
  readonly log: number;
};

/** The quotes of a security at a quarter's end, and their logarithms in ascending order. */
export type Quotes = ReturnType<typeof quotesOf>;

/** A position whose CUSIP and amounts are not in doubt. */
export function isSound({ amount, valueCents, reasons }: FiledPosition): boolean {
  return amount > 0n && valueCents >= 0n && !reasons.some((reason) => UNSOUND.has(reason));
}

/**
 * The quotes in the positions. A position of several filings has no one scale, and one whose shares
 * repeat its value has no share count (rule 2.3): neither is a quote.
 */
export function quotesOf(positions: readonly FiledPosition[], scales: FiledScales) {
  const all: Quote[] = [];
  for (const position of positions) {
    const { accession, amount, valueCents } = position;
    const scale = accession === null ? undefined : scales.get(accession);
    if (accession === null || scale === undefined || !isSound(position)) continue;
    if (valueCents < scale * MIN_SCALED_VALUE || valueCents === amount * scale) continue;
    all.push({ position, accession, log: Math.log10(Number(valueCents) / Number(amount)) });
  }
  return { all, sorted: Float64Array.from(all, ({ log }) => log).sort() };
}

/** Logarithm of the median price over all filers; null of fewer than three filers. */
export function medianPrice({ sorted }: Quotes): number | null {
  return sorted.length < MIN_PRICE_FILERS ? null : medianOf(sorted);
}

/** The same over the other filers: no filer confirms itself. */
export function medianOfOthers({ all, sorted }: Quotes, cik: Cik): number | null {
  const own = all.find(({ position }) => position.cik === cik);
  return own === undefined ? medianPrice({ all, sorted }) : medianWithout(sorted, own.log);
}

/** The median of the list without one of its members; null when fewer than three remain. */
export function medianWithout(sorted: Float64Array, member: number): number | null {
  const others = sorted.length - 1;
  if (others < MIN_PRICE_FILERS) return null;
  const at = placeOf(sorted, member);
  const other = (index: number): number => sorted[index < at ? index : index + 1] as number;
  const middle = Math.floor(others / 2);
  return others % 2 === 1 ? other(middle) : (other(middle - 1) + other(middle)) / 2;
}

/** The list is in ascending order and not empty. */
export function medianOf(sorted: ArrayLike<number>): number {
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] as number;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] as number) + upper) / 2;
}

function placeOf(sorted: Float64Array, member: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] as number) < member) low = middle + 1;
    else high = middle;
  }
  return low;
}
