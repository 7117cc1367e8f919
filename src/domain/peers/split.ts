import { isEquity, type PositionChange, type SplitFactor } from '../report/report.ts';
import { LARGE_SPLIT, MOVE_TOLERANCE, SPLIT_PRICE_TOLERANCE, SPLIT_SHARE_TOLERANCE } from './thresholds.ts';

const ratio = (numerator: number, denominator = 1): SplitFactor => ({
  numerator: BigInt(numerator),
  denominator: BigInt(denominator),
});

const WHOLE_FACTORS = [2, 3, 4, 5, 6, 7, 8, 10, 15, 20, 25, 30, 50];
const REVERSE_ONLY = [40, 60, 75, 80, 100];

/** Splits and reverse splits of 2 or more, in new shares for each old one: a crowd names them (rule 4.5). */
export const CROWD_RATIOS: readonly SplitFactor[] = [
  ...WHOLE_FACTORS.map((factor) => ratio(factor)),
  ...[...WHOLE_FACTORS, ...REVERSE_ONLY].map((factor) => ratio(1, factor)),
];

/** All usual splits and reverse splits (rule 4.7). */
export const SPLIT_RATIOS: readonly SplitFactor[] = [...CROWD_RATIOS, ratio(3, 2), ratio(5, 4)];

export function numberOf({ numerator, denominator }: SplitFactor): number {
  return Number(numerator) / Number(denominator);
}

/** Share counts at the two ends, as numbers: ratios are statistics. */
export type Shares = { readonly prior: number; readonly amount: number };

/** Whether the count is the factor's: within the tolerance, or within one share, because fractions are settled. */
export function isMovedBy({ prior, amount }: Shares, factor: number): boolean {
  const exact = prior * factor;
  return Math.abs(amount - exact) <= Math.max(1, MOVE_TOLERANCE * exact);
}

const FACTORS: readonly number[] = SPLIT_RATIOS.map(numberOf);
/** Between them a count is nearer to no move than to any factor. */
const LEAST_CUT = Math.sqrt(Math.max(...FACTORS.filter((factor) => factor < 1)));
const LEAST_RAISE = Math.sqrt(Math.min(...FACTORS.filter((factor) => factor > 1)));
const NONE: readonly number[] = [];

/**
 * The usual splits that one holder's counts may come from: from 4 on, either way, a holder may have traded
 * a little beside; below, only the exact count is more than chance.
 */
export function factorsNear(shares: Shares): readonly number[] {
  const moved = shares.amount / shares.prior;
  // Fast exit for almost every holder.
  if (moved > LEAST_CUT && moved < LEAST_RAISE) return NONE;
  return FACTORS.filter((factor) =>
    isLarge(factor) ? Math.abs(moved - factor) <= SPLIT_SHARE_TOLERANCE * factor : isMovedBy(shares, factor),
  );
}

type Compared = Pick<
  PositionChange,
  'amountType' | 'putCall' | 'amount' | 'valueCents' | 'priorAmount' | 'priorValueCents' | 'reasons'
>;

/**
 * Whether one holder's change looks like a split (rule 4.7): its count is that of a usual split, and its
 * implied price moved to near the inverse. For a large split it is enough that the price is nearer to the
 * inverse than to no move. Only equity held at both ends with values can look so.
 */
export function splitSuspected(change: Compared): boolean {
  // Most counts did not move.
  if (change.amount === change.priorAmount) return false;
  if (!isEquity(change) || change.amount <= 0n || change.priorAmount <= 0n) return false;
  if (change.valueCents <= 0n || change.priorValueCents <= 0n) return false;
  const shares = { prior: Number(change.priorAmount), amount: Number(change.amount) };
  return factorsNear(shares).some((factor) => {
    const price = (Number(change.valueCents) / Number(change.priorValueCents) / shares.amount) * shares.prior;
    const moved = withoutScaleDoubt(price * factor, change);
    return isPriceFollowed(moved) || (isLarge(factor) && isNearer(moved, moved / factor));
  });
}

/**
 * A ratio of values, near 1 when they moved as expected. Where a scale is in doubt, factors of a
 * thousand are removed: one of the two values may have been read in the wrong scale.
 */
export function withoutScaleDoubt(moved: number, { reasons }: Pick<PositionChange, 'reasons'>): number {
  if (!reasons.includes('value_unit_unverified')) return moved;
  return moved / 1000 ** Math.round(Math.log10(moved) / 3);
}

/** Whether the price times the factor is near 1. For 5 to 4 this includes a price that stood still. */
export function isPriceFollowed(moved: number): boolean {
  return Math.abs(moved - 1) <= SPLIT_PRICE_TOLERANCE;
}

function isLarge(factor: number): boolean {
  return factor >= LARGE_SPLIT || factor <= 1 / LARGE_SPLIT;
}

/** Below 2 for 1, and above 1 for 2, prices move as far in a quarter as a split moves them. */
export function isSmallSplit(factor: number): boolean {
  return factor > 1 / 2 && factor < 2;
}

/** Whether the one ratio is nearer to 1 than the other, in logarithms. */
export function isNearer(ratio: number, other: number): boolean {
  return Math.abs(Math.log(ratio)) < Math.abs(Math.log(other));
}
