import type { Accession, Cik } from '../ids.ts';
import type { Reason } from '../quality/quality.ts';
import { MIN_PRICE_FILERS } from '../report/implied-price.ts';
import type { FiledPosition } from './filed-security.ts';

/** A value of fewer units of its column than this is mostly rounding: one thousand for three shares. */
export const MIN_SCALED_VALUE = 10n;

/** What such a position names or counts is in doubt. */
const DOUBTFUL: ReadonlySet<Reason> = new Set([
  'cusip_malformed',
  'cusip_checksum_failed',
  'amount_negative',
  'amount_implausible',
]);

/** Cents in one unit of the value column of each filing, by its date. */
export type FiledScales = ReadonlyMap<Accession, bigint>;

/** What one filer says of the price of a share. */
export type Quote = {
  readonly position: FiledPosition;
  readonly accession: Accession;
  /** Decimal logarithm of cents per share: a statistic, so floating point serves. */
  readonly log: number;
};

/** The quotes of a security at a quarter's end, and their logarithms in ascending order. */
export type Quotes = {
  readonly all: readonly Quote[];
  readonly sorted: Float64Array;
};

/** A position whose CUSIP and amounts are not in doubt. */
export function isSound({ amount, valueCents, reasons }: FiledPosition): boolean {
  return amount > 0n && valueCents >= 0n && !reasons.some((reason) => DOUBTFUL.has(reason));
}

/**
 * The quotes in the positions. One of several filings has no unit of its own; one whose shares
 * repeat its value has no share count (rule 2.3): neither is a quote.
 */
export function quotesOf(positions: readonly FiledPosition[], units: FiledScales): Quotes {
  const all: Quote[] = [];
  for (const position of positions) {
    const { accession, amount, valueCents } = position;
    const unit = accession === null ? undefined : units.get(accession);
    if (accession === null || unit === undefined || !isSound(position)) continue;
    if (valueCents < unit * MIN_SCALED_VALUE || valueCents === amount * unit) continue;
    all.push({ position, accession, log: Math.log10(Number(valueCents) / Number(amount)) });
  }
  return { all, sorted: Float64Array.from(all, ({ log }) => log).sort() };
}

/** Logarithm of the median price over all filers; null of fewer than three. */
export function medianPrice({ sorted }: Quotes): number | null {
  return sorted.length < MIN_PRICE_FILERS ? null : medianOf(sorted);
}

/** The same over the filers other than this one: nobody confirms himself. */
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

/** Of a list in ascending order that is not empty. */
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
