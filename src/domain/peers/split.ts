import type { PositionChange } from '../report/report.ts';
import type { SplitFactor } from '../report/split-factor.ts';

const ratio = (numerator: number, denominator = 1): SplitFactor => ({
  numerator: BigInt(numerator),
  denominator: BigInt(denominator),
});

/** Shares for each old one in splits and, inverted, in reverse splits (rule 4.5). */
const WHOLE_FACTORS = [2, 3, 4, 5, 6, 7, 8, 10, 15, 20, 25, 30, 50];
const REVERSE_ONLY = [40, 60, 75, 80, 100];
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

/** A holder may have traded a little beside the split. */
export const SPLIT_SHARE_TOLERANCE = 0.05;
/** The market moves within a quarter. */
export const SPLIT_PRICE_TOLERANCE = 0.35;
/**
 * From this factor on, either way, a price nearer to its inverse than to where it was is enough: stocks
 * that rose the most are split, and nobody buys three times his shares at half of the price by chance.
 */
export const LARGE_SPLIT = 4;

/** Share ratios between these are near no candidate. */
const LARGEST_REVERSE =
  Math.max(...SPLIT_FACTORS.filter((factor) => factor < 1)) * (1 + SPLIT_SHARE_TOLERANCE);
const SMALLEST_FORWARD =
  Math.min(...SPLIT_FACTORS.filter((factor) => factor > 1)) * (1 - SPLIT_SHARE_TOLERANCE);

export type SplitOptions = {
  /** Candidate factors to try instead of all, once other filers' votes have narrowed them. */
  readonly factors?: readonly number[];
};

type Compared = Pick<
  PositionChange,
  'unit' | 'putCall' | 'amount' | 'valueCents' | 'priorAmount' | 'priorValueCents' | 'reasons'
>;

/**
 * Whether one holder's change looks like a share split that no other filer confirms: the share
 * ratio is near a candidate factor and the implied price moved to near its inverse (rule 4.7), or
 * for a large one nearer to the inverse than to where it was.
 * Where a unit is in doubt, the price may be off by thousands on top. Only equity held on both sides
 * with values can look so. The ratios are statistics, so floating point serves; the amounts themselves
 * are not touched.
 */
export function splitSuspected(change: Compared, options: SplitOptions = {}): boolean {
  if (change.unit !== 'SH' || change.putCall !== null) return false;
  if (change.amount <= 0n || change.priorAmount <= 0n) return false;
  const shares = Number(change.amount) / Number(change.priorAmount);
  const { factors = SPLIT_FACTORS } = options;
  // Nearly every holder moves by less than the smallest split: no factor needs to be tried.
  if (factors === SPLIT_FACTORS && shares > LARGEST_REVERSE && shares < SMALLEST_FORWARD) return false;
  const near = factors.filter((factor) => Math.abs(shares - factor) <= SPLIT_SHARE_TOLERANCE * factor);
  const price = near.length === 0 ? null : impliedPriceRatio(change, shares);
  if (price === null) return false;
  return near.some((factor) => {
    const moved = withoutDoubt(price * factor, change);
    return priceFollowed(moved) || (isLarge(factor) && isNearer(moved, moved / factor));
  });
}

/** Value per share now against then; null when a side has no value. */
function impliedPriceRatio(change: Compared, shares: number): number | null {
  if (change.valueCents <= 0n || change.priorValueCents <= 0n) return null;
  return Number(change.valueCents) / Number(change.priorValueCents) / shares;
}

/**
 * A ratio of values, near 1 when they moved as expected: where a unit is in doubt, without the thousands
 * that the two are apart when one of them is read in the wrong one.
 */
export function withoutDoubt(moved: number, { reasons }: Pick<PositionChange, 'reasons'>): number {
  if (!reasons.includes('value_unit_unverified')) return moved;
  return moved / 1000 ** Math.round(Math.log10(moved) / 3);
}

/**
 * Whether price times factor is near one, so that the price moved to the inverse. For 5 for 4, a price
 * that stood still is near enough too (rule 4.7).
 */
function priceFollowed(moved: number): boolean {
  return Math.abs(moved - 1) <= SPLIT_PRICE_TOLERANCE;
}

function isLarge(factor: number): boolean {
  return factor >= LARGE_SPLIT || factor <= 1 / LARGE_SPLIT;
}

/** Whether the one ratio is nearer to 1 than the other, in orders. */
export function isNearer(ratio: number, other: number): boolean {
  return Math.abs(Math.log(ratio)) < Math.abs(Math.log(other));
}
