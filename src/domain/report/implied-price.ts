import { compare } from '../compare.ts';
import type { Cik, Cusip } from '../ids.ts';
import { abs } from '../money.ts';
import { type Reason, UNSOUND } from '../quality/quality.ts';
import type { PositionChange } from './report.ts';
import { MIN_PRICE_FILERS, PRICE_BAND_PCT } from './thresholds.ts';

/** A row with one of these gives no price for the security that it names. */
const UNPRICED_REASONS: ReadonlySet<Reason> = new Set([...UNSOUND, 'implied_price_outlier']);

/** One filer's equity position in a security at a quarter end, with its shares the quarter before. */
export type HeldRow = Pick<PositionChange, 'cusip' | 'amount' | 'valueCents' | 'priorAmount' | 'reasons'> & {
  readonly cik: Cik;
};

/**
 * The price of a share at a quarter end as an exact ratio: the value and the shares of the middle filer.
 * Without rounding, the scale of the values cancels out of every return.
 */
export type ImpliedPrice = {
  readonly valueCents: bigint;
  readonly shares: bigint;
  /** Filers within the band. */
  readonly filers: number;
};

/** With evidence for a split since the quarter before, from the share counts of filers that held at both ends. */
export type PricedSecurity = ImpliedPrice & {
  readonly compared: number;
  readonly unchanged: number;
  readonly splitLike: number;
};

/** A quarter's prices by CUSIP. */
export type PriceTable = ReadonlyMap<Cusip, PricedSecurity>;

/** Whether a row can give a price: its security and its counts are not in doubt. */
export function isPriceable(row: Pick<HeldRow, 'amount' | 'valueCents' | 'reasons'>): boolean {
  return row.amount > 0n && row.valueCents > 0n && !row.reasons.some((one) => UNPRICED_REASONS.has(one));
}

type Quote = Pick<HeldRow, 'cik' | 'amount' | 'valueCents'>;

/**
 * The median of value per share over filers, weighted by shares (rule 4.2). The band is around the
 * plain median: one large filer at the wrong scale would move a weighted one. Null when fewer than three
 * filers agree. Of two middle filers the lower one counts, so the price is always one that was filed.
 */
export function agreedQuote<Q extends Quote>(
  quotes: readonly Q[],
): { readonly quote: Q; readonly filers: number } | null {
  const sorted = quotes.toSorted(compareQuotes);
  const middle = sorted[Math.floor((sorted.length - 1) / 2)];
  if (middle === undefined) return null;
  const near = sorted.filter((quote) => isNear(quote, middle));
  if (near.length < MIN_PRICE_FILERS) return null;
  const all = near.reduce((sum, quote) => sum + quote.amount, 0n);
  let shares = 0n;
  const quote = near.find(({ amount }) => {
    shares += amount;
    return shares * 2n >= all;
  });
  return quote === undefined ? null : { quote, filers: near.length };
}

function isNear(quote: Quote, middle: Quote): boolean {
  const difference = quote.valueCents * middle.amount - middle.valueCents * quote.amount;
  return abs(difference) * 100n <= middle.valueCents * quote.amount * PRICE_BAND_PCT;
}

/** By value per share without dividing, then by CIK. */
function compareQuotes(a: Quote, b: Quote): number {
  const left = a.valueCents * b.amount;
  const right = b.valueCents * a.amount;
  return compare(left, right) || compare(a.cik, b.cik);
}
