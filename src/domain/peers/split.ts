import { isEquity, type PositionChange, type SplitFactor } from '../report/report.ts';
import {
  LARGE_SPLIT,
  MAX_RATIO_DENOMINATOR,
  RATIO_TOLERANCE,
  SPLIT_PRICE_TOLERANCE,
  SPLIT_SHARE_TOLERANCE,
} from './thresholds.ts';

const ratio = (numerator: number, denominator = 1): SplitFactor => ({
  numerator: BigInt(numerator),
  denominator: BigInt(denominator),
});

const WHOLE_FACTORS = [2, 3, 4, 5, 6, 7, 8, 10, 15, 20, 25, 30, 50];
const REVERSE_ONLY = [40, 60, 75, 80, 100];

/** The usual splits and reverse splits, in new shares for each old one (rule 4.5). */
export const SPLIT_RATIOS: readonly SplitFactor[] = [
  ...WHOLE_FACTORS.map((factor) => ratio(factor)),
  ratio(3, 2),
  ratio(5, 4),
  ...[...WHOLE_FACTORS, ...REVERSE_ONLY].map((factor) => ratio(1, factor)),
];

/** The same as numbers. */
export const SPLIT_FACTORS: readonly number[] = SPLIT_RATIOS.map(numberOf);

export function numberOf({ numerator, denominator }: SplitFactor): number {
  return Number(numerator) / Number(denominator);
}

/** The ratio in the smallest terms that are near enough: 4 for 3, 21 for 20, 1 for 180. */
export function factorOf(ratio: number): SplitFactor {
  const larger = ratio < 1 ? 1 / ratio : ratio;
  let fewer = 1;
  while (
    fewer < MAX_RATIO_DENOMINATOR &&
    Math.abs(Math.round(larger * fewer) / fewer / larger - 1) > RATIO_TOLERANCE
  ) {
    fewer += 1;
  }
  const [more, less] = [BigInt(Math.round(larger * fewer)), BigInt(fewer)];
  return ratio < 1 ? { numerator: less, denominator: more } : { numerator: more, denominator: less };
}

/** Every ratio of share counts between these two is near no usual split. */
const END_OF_REVERSES =
  Math.max(...SPLIT_FACTORS.filter((factor) => factor < 1)) * (1 + SPLIT_SHARE_TOLERANCE);
const START_OF_FORWARDS =
  Math.min(...SPLIT_FACTORS.filter((factor) => factor > 1)) * (1 - SPLIT_SHARE_TOLERANCE);
const NONE: readonly number[] = [];

/** The usual splits that one holder's ratio of share counts may come from. */
export function factorsNear(ratio: number): readonly number[] {
  // Fast exit: almost every holder moves by less than the smallest split.
  if (ratio > END_OF_REVERSES && ratio < START_OF_FORWARDS) return NONE;
  return SPLIT_FACTORS.filter((factor) => Math.abs(ratio - factor) <= SPLIT_SHARE_TOLERANCE * factor);
}

type Compared = Pick<
  PositionChange,
  'amountType' | 'putCall' | 'amount' | 'valueCents' | 'priorAmount' | 'priorValueCents' | 'reasons'
>;

/**
 * Whether one holder's change looks like a split that no other filer confirms (rule 4.7). The share
 * ratio is near a usual split, and the implied price moved to near its inverse. For a large split it is
 * enough that the price is nearer to the inverse than to no move. Only equity held at both ends with
 * values can look so. The ratios are statistics in floating point; the amounts stay exact.
 */
export function splitSuspected(change: Compared): boolean {
  if (!isEquity(change)) return false;
  if (change.amount <= 0n || change.priorAmount <= 0n) return false;
  const shares = Number(change.amount) / Number(change.priorAmount);
  const near = factorsNear(shares);
  const price = near.length === 0 ? null : impliedPriceRatio(change, shares);
  if (price === null) return false;
  return near.some((factor) => {
    const moved = withoutScaleDoubt(price * factor, change);
    return priceFollowed(moved) || (isLarge(factor) && isNearer(moved, moved / factor));
  });
}

/** Value per share now against then; null when a side has no value. */
function impliedPriceRatio(change: Compared, shares: number): number | null {
  if (change.valueCents <= 0n || change.priorValueCents <= 0n) return null;
  return Number(change.valueCents) / Number(change.priorValueCents) / shares;
}

/**
 * A ratio of values, near 1 when they moved as expected. Where a scale is in doubt, factors of a
 * thousand are removed: one of the two values may have been read in the wrong scale.
 */
export function withoutScaleDoubt(moved: number, { reasons }: Pick<PositionChange, 'reasons'>): number {
  if (!reasons.includes('value_unit_unverified')) return moved;
  return moved / 1000 ** Math.round(Math.log10(moved) / 3);
}

/** Whether price times factor is near 1. For 5 to 4 this includes a price that stood still. */
function priceFollowed(moved: number): boolean {
  return Math.abs(moved - 1) <= SPLIT_PRICE_TOLERANCE;
}

function isLarge(factor: number): boolean {
  return factor >= LARGE_SPLIT || factor <= 1 / LARGE_SPLIT;
}

/** Whether the one ratio is nearer to 1 than the other, in logarithms. */
export function isNearer(ratio: number, other: number): boolean {
  return Math.abs(Math.log(ratio)) < Math.abs(Math.log(other));
}
