import Big from 'big.js';
import { compare } from './compare.ts';
import { abs, roundHalfEvenDiv } from './money.ts';

/** A percentage with four decimals is an integer number of millionths of the whole. */
const MILLIONTHS = 1_000_000n;
const PCT_DECIMALS = 10_000;

/**
 * The leaderboard's returns and weights are integer billionths of the whole. Their sums do not
 * depend on order, so equal filings give equal bytes.
 */
export const WHOLE = 1_000_000_000n;
const BILLIONTHS_PER_MILLIONTH = WHOLE / MILLIONTHS;

/**
 * Change in percent of the previous amount, 4 decimals half-even, converted once from an exact
 * ratio. From zero it is 100, to zero -100, unchanged 0 (rule 5.2).
 */
export function pctDelta(current: bigint, previous: bigint): number {
  if (current === previous) return 0;
  if (previous === 0n) return 100;
  if (current === 0n) return -100;
  return (smallMillionths(current, previous) ?? Number(millionthsMoved(current, previous))) / PCT_DECIMALS;
}

/**
 * {@link millionthsMoved} without a BigInt, for almost every position; null where the numbers are too large
 * for a double to hold every integer.
 */
function smallMillionths(current: bigint, previous: bigint): number | null {
  const [now, before] = [Number(current), Number(previous)];
  const numerator = Math.abs(now - before) * 1_000_000;
  const denominator = Math.abs(before);
  // The sum is a bound of all that is computed below, of both counts too.
  if (!(numerator + 2 * denominator < Number.MAX_SAFE_INTEGER)) return null;
  const rest = numerator % denominator;
  const floor = (numerator - rest) / denominator;
  const isUp = 2 * rest > denominator || (2 * rest === denominator && floor % 2 === 1);
  const rounded = isUp ? floor + 1 : floor;
  // No negative zero: it is another value for `Object.is`.
  return now < before && rounded !== 0 ? -rounded : rounded;
}

/** The median of {@link pctDelta} over pairs without a zero; null without a pair. */
export function medianPctDelta(pairs: readonly (readonly [current: bigint, previous: bigint])[]) {
  const median = medianOf(pairs.map(([current, previous]) => millionthsMoved(current, previous)));
  return median === null ? null : Number(median) / PCT_DECIMALS;
}

function millionthsMoved(current: bigint, previous: bigint): bigint {
  return roundHalfEvenDiv((current - previous) * MILLIONTHS, abs(previous));
}

/** Share of the total in percent, 4 decimals half-even; 0 when the total is 0. */
export function weightPct(part: bigint, total: bigint): number {
  if (total === 0n) return 0;
  return Number(roundHalfEvenDiv(part * MILLIONTHS, total)) / PCT_DECIMALS;
}

/** `part / total` in billionths, half-even. The total must not be zero. */
export function fractionOf(part: bigint, total: bigint): bigint {
  return roundHalfEvenDiv(part * WHOLE, total);
}

/** A fraction of {@link WHOLE} in percent, 4 decimals half-even. */
export function pctOf(fraction: bigint): number {
  return Number(roundHalfEvenDiv(fraction, BILLIONTHS_PER_MILLIONTH)) / PCT_DECIMALS;
}

/** Half-even mean; null for an empty list. */
export function meanOf(values: readonly bigint[]): bigint | null {
  if (values.length === 0) return null;
  const sum = values.reduce((sum, value) => sum + value, 0n);
  return roundHalfEvenDiv(sum, BigInt(values.length));
}

/** The middle value, or the mean of the two middle ones; null for an empty list. */
export function medianOf(values: readonly bigint[]): bigint | null {
  const sorted = values.toSorted(compare);
  const half = Math.floor(sorted.length / 2);
  return meanOf(sorted.slice(sorted.length % 2 === 0 ? half - 1 : half, half + 1));
}

/**
 * What a sale takes of the shares held before it, in percent with 4 decimals half-even; null without the shares
 * owned after it.
 */
export function pctOfHolding(shares: string | null, after: string | null): number | null {
  if (shares === null || after === null) return null;
  const before = new Big(after).plus(shares);
  if (!before.gt(0) || before.lt(shares)) return null;
  return Number(new Big(shares).times(100).div(before).round(4, Big.roundHalfEven).toString());
}
