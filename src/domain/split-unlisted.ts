import type { CommonRatio } from './consensus.ts';
import { type HolderMove, isMovedBy, MOVE_TOLERANCE } from './holder-move.ts';
import type { Cusip } from './ids.ts';
import { medianOf } from './peer-price.ts';
import type { SplitFactor } from './price-return.ts';
import { numberOf, SPLIT_PRICE_TOLERANCE, SPLIT_RATIOS } from './split.ts';
import { MIN_SPLIT_VOTES, type PricesAtEnds } from './split-vote.ts';

/** Part of the holders that moved by one ratio (domain 2.9): so many do not trade alike. */
export const COMMON_RATIO_PCT = 60;
/** A ratio nearer to 1 is a share count that stood still. */
export const LEAST_COMMON_MOVE = 0.0075;
/** A ratio is told in so many parts, those of the smaller side. */
const RATIO_PARTS = 10_000;

/**
 * The ratio by which most holders moved where it is none that a split usually has, as 21 for 20 in a
 * stock dividend; null otherwise (domain 2.9). A ratio off the list is too uncertain to restate by.
 * The price must be within the tolerance of its inverse, which for small ratios it is without a move.
 */
export function commonRatio(
  cusip: Cusip,
  throughout: readonly HolderMove[],
  { before, after }: PricesAtEnds,
): CommonRatio | null {
  const compared = throughout.length;
  if (compared < MIN_SPLIT_VOTES || before === null || after === null) return null;
  // More than half share it, so it is the ratio in the middle.
  const ratios = Float64Array.from(throughout, ({ prior, amount }) => amount / prior).sort();
  const factor = ratioOf(medianOf(ratios));
  const ratio = numberOf(factor);
  if (ratio <= 0 || Math.abs(ratio - 1) < LEAST_COMMON_MOVE || isListed(ratio)) return null;
  if (Math.abs(10 ** (after - before) * ratio - 1) > SPLIT_PRICE_TOLERANCE) return null;
  const votes = throughout.filter((move) => isMovedBy(move, factor)).length;
  if (votes < MIN_SPLIT_VOTES || votes * 100 < compared * COMMON_RATIO_PCT) return null;
  return { kind: 'common_ratio', cusip, factor, votes, compared };
}

/** In lowest terms: 21 for 20, 1 for 180. */
export function ratioOf(ratio: number): SplitFactor {
  const isReverse = ratio < 1;
  const parts = Math.round((isReverse ? 1 / ratio : ratio) * RATIO_PARTS);
  const shared = commonDivisor(parts, RATIO_PARTS);
  const [more, fewer] = [BigInt(parts / shared), BigInt(RATIO_PARTS / shared)];
  return isReverse ? { numerator: fewer, denominator: more } : { numerator: more, denominator: fewer };
}

function commonDivisor(a: number, b: number): number {
  return b === 0 ? a : commonDivisor(b, a % b);
}

function isListed(ratio: number): boolean {
  return SPLIT_RATIOS.some((factor) => Math.abs(ratio / numberOf(factor) - 1) < MOVE_TOLERANCE);
}
