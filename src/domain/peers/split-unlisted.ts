import type { Cusip } from '../ids.ts';
import type { SplitFactor } from '../report/split-factor.ts';
import { type HolderMove, isMovedBy, MOVE_TOLERANCE } from './holder-move.ts';
import { medianOf } from './price.ts';
import { numberOf, SPLIT_RATIOS } from './split.ts';
import { MIN_SPLIT_VOTES } from './split-vote.ts';
import type { CommonRatio } from './verdict.ts';

/** Part of the holders that moved by one ratio (rule 4.6): so many do not trade alike. */
export const COMMON_RATIO_PCT = 60;
/** A ratio nearer to 1 is a share count that stood still. */
export const MIN_COMMON_MOVE = 0.0075;
/** A ratio is told so exactly, a fiftieth of what a vote allows, and in no more parts than this. */
const RATIO_TOLERANCE = 0.0001;
const RATIO_PARTS = 10_000;

/**
 * The ratio by which most holders moved where it is none that a split usually has, as 21 for 20 in a
 * stock dividend; null otherwise (rule 4.6). A ratio off the list is too uncertain to restate by.
 * No price is asked: so many do not trade alike, and a stock may move far beside.
 */
export function commonRatio(cusip: Cusip, throughout: readonly HolderMove[]): CommonRatio | null {
  const compared = throughout.length;
  if (compared < MIN_SPLIT_VOTES) return null;
  // More than half share it, so it is the ratio in the middle.
  const ratios = Float64Array.from(throughout, ({ prior, amount }) => amount / prior).sort();
  const factor = ratioOf(medianOf(ratios));
  const ratio = numberOf(factor);
  if (ratio <= 0 || Math.abs(ratio - 1) < MIN_COMMON_MOVE || isListed(ratio)) return null;
  const votes = throughout.filter((move) => isMovedBy(move, factor)).length;
  if (votes < MIN_SPLIT_VOTES || votes * 100 < compared * COMMON_RATIO_PCT) return null;
  return { kind: 'common_ratio', cusip, factor, votes, compared };
}

/** In the smallest terms that come near enough: 4 for 3, 21 for 20, 1 for 180. */
export function ratioOf(ratio: number): SplitFactor {
  const larger = ratio < 1 ? 1 / ratio : ratio;
  let fewer = 1;
  while (fewer < RATIO_PARTS && Math.abs(Math.round(larger * fewer) / fewer / larger - 1) > RATIO_TOLERANCE) {
    fewer += 1;
  }
  const [more, less] = [BigInt(Math.round(larger * fewer)), BigInt(fewer)];
  return ratio < 1 ? { numerator: less, denominator: more } : { numerator: more, denominator: less };
}

function isListed(ratio: number): boolean {
  return SPLIT_RATIOS.some((factor) => Math.abs(ratio / numberOf(factor) - 1) < MOVE_TOLERANCE);
}
