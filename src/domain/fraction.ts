import { roundHalfEvenDiv } from './money.ts';

/**
 * Returns and weights of the leaderboard are integers of billionths of the whole: sums of them do
 * not depend on their order, and equal filings give equal bytes.
 */
export const WHOLE = 1_000_000_000n;

/** Billionths in one unit of the fourth decimal of a percentage. */
const PER_PCT_DECIMAL = 1_000n;
const PCT_DECIMALS = 10_000;

/** `part / total` in billionths, half-even. The total is not zero. */
export function fractionOf(part: bigint, total: bigint): bigint {
  return roundHalfEvenDiv(part * WHOLE, total);
}

/** A fraction as percent, 4 decimals half-even. */
export function pctOf(fraction: bigint): number {
  return Number(roundHalfEvenDiv(fraction, PER_PCT_DECIMAL)) / PCT_DECIMALS;
}

/** Half-even mean; null of nothing. */
export function meanOf(values: readonly bigint[]): bigint | null {
  if (values.length === 0) return null;
  return roundHalfEvenDiv(
    values.reduce((sum, value) => sum + value, 0n),
    BigInt(values.length),
  );
}

/** The middle value, or the mean of the two middle ones; null of nothing. */
export function medianOf(values: readonly bigint[]): bigint | null {
  const sorted = values.toSorted((a, b) => (a < b ? -1 : Number(a > b)));
  const half = Math.floor(sorted.length / 2);
  return meanOf(sorted.slice(sorted.length % 2 === 0 ? half - 1 : half, half + 1));
}
