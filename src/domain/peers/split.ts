import type { PositionChange, SplitFactor } from '../report/report.ts';
import { MOVE_TOLERANCE } from './thresholds.ts';

const MOST = 100;
const SMALL = [
  [3, 2],
  [5, 4],
  [4, 3],
  [5, 3],
] as const;

/** Splits and reverse splits, in new shares for each old one: whole numbers to 100, and four small ones (rule 4.5). */
export const SPLIT_FACTORS: readonly SplitFactor[] = [
  ...Array.from({ length: MOST - 1 }, (_, at) => [at + 2, 1] as const),
  ...SMALL,
].flatMap(([more, less]) => [
  { numerator: BigInt(more), denominator: BigInt(less) },
  { numerator: BigInt(less), denominator: BigInt(more) },
]);

const SMALL_FACTORS = SMALL.flatMap(([more, less]) => [more / less, less / more]);

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

/** Shares between the counts of two neighbouring factors, at least; and how many times what a count may be off they are. */
const LEAST_GAP = 100;
const SHARP = 400;

/**
 * The factor that a count shows to the share (rule 4.5); null where others are as near: seven shares of a hundred
 * are those of 1 for 13, 14 and 15.
 */
export function exactFactor({ prior, amount }: Shares): number | null {
  const whole = Math.round(Math.max(amount / prior, prior / amount));
  const factors =
    whole > MOST ? [] : SMALL_FACTORS.concat(whole < 2 ? [] : [amount > prior ? whole : 1 / whole]);
  return factors.find((factor) => isExactly({ prior, amount }, factor)) ?? null;
}

function isExactly({ prior, amount }: Shares, factor: number): boolean {
  const exact = prior * factor;
  const gap = exact / (isSmallSplit(factor) ? 16 : Math.max(factor, 1 / factor));
  // Holders trade as far as a small split, so only the share itself tells.
  const most = isSmallSplit(factor) ? 1 : Math.min(MOVE_TOLERANCE * exact, gap / SHARP);
  return gap >= LEAST_GAP && Math.abs(amount - exact) <= Math.max(1, most);
}

/** Whether the counts of a factor are no ones that one buys: round ones, or for a small factor hundreds. */
export function isTelling({ prior, amount }: Shares, factor: number): boolean {
  const isBought = (shares: number) =>
    shares % 100 === 0 && (isSmallSplit(factor) || shares % 10 ** (Math.floor(Math.log10(shares)) - 2) === 0);
  return !isBought(prior) || !isBought(amount);
}

/** How far a ratio is from 1, in logarithms. */
export function distance(ratio: number): number {
  return Math.abs(Math.log(ratio));
}

/** Whether two numbers are within this part of the larger one, whichever that is. */
export function isWithin(ratio: number, part: number): boolean {
  return distance(ratio) <= Math.log(1 + part);
}

/**
 * A ratio of values, near 1 when they moved as expected. Where a scale is in doubt, factors of a
 * thousand are removed: one of the two values may have been read in the wrong scale.
 */
export function withoutScaleDoubt(moved: number, { reasons }: Pick<PositionChange, 'reasons'>): number {
  return reasons.includes('value_unit_unverified') ? withoutThousands(moved) : moved;
}

/** The ratio without factors of a thousand. */
export function withoutThousands(ratio: number): number {
  return ratio / 1000 ** Math.round(Math.log10(ratio) / 3);
}

/** Below 2 for 1, and above 1 for 2, prices move as far in a quarter as a split moves them. */
export function isSmallSplit(factor: number): boolean {
  return factor > 1 / 2 && factor < 2;
}

/** All factors, with their numbers. */
export const NUMBERED = SPLIT_FACTORS.map((factor) => ({ factor, number: numberOf(factor) }));

/** The list is in ascending order and not empty. */
export function medianOf(sorted: ArrayLike<number>): number {
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] as number;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] as number) + upper) / 2;
}
