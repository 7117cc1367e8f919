import type { CommonRatio } from './consensus.ts';
import { type HolderMove, isUnchanged } from './holder-move.ts';
import type { Cusip } from './ids.ts';
import type { SplitFactor } from './price-return.ts';
import { numberOf, SPLIT_RATIOS } from './split.ts';
import { COMMON_RATIO_PCT } from './split-unlisted.ts';
import {
  isPriced,
  isSmall,
  MIN_SPLIT_VOTES,
  type PricesAtEnds,
  priceDistance,
  quorumOf,
  votesFor,
} from './split-vote.ts';

/** Most holders trade by no more than this part of their shares beside a split. */
export const TRADED_BESIDE = 0.25;
/** Of so many votes for a small split at most one may stand still: in a split nobody's count does. */
export const VOTES_FOR_ONE_STILL = 4;

/**
 * A usual split that the price speaks for and the holders do not vote: too few moved by exactly the
 * factor, but most moved near it, or for a small one a quorum did and hardly anyone stood still. Null
 * otherwise. All holders are in doubt then, because restating none of them would be as wrong as all.
 */
export function unvotedSplit(
  cusip: Cusip,
  throughout: readonly HolderMove[],
  prices: PricesAtEnds,
): CommonRatio | null {
  const compared = throughout.length;
  if (compared < MIN_SPLIT_VOTES) return null;
  const unchanged = throughout.filter(isUnchanged).length;
  const [found] = SPLIT_RATIOS.filter((factor) => isPriced(factor, prices))
    .map((factor) => ({ factor, exact: votesFor(factor, throughout), near: nearTo(factor, throughout) }))
    .filter(({ factor, exact, near }) =>
      isSmall(factor)
        ? exact >= quorumOf(compared) && exact >= unchanged * VOTES_FOR_ONE_STILL
        : near * 100 >= compared * COMMON_RATIO_PCT,
    )
    .sort((a, b) => b.exact - a.exact || priceDistance(a.factor, prices) - priceDistance(b.factor, prices));
  if (found === undefined) return null;
  const { factor, exact, near } = found;
  return { kind: 'common_ratio', cusip, factor, votes: isSmall(factor) ? exact : near, compared };
}

function nearTo(factor: SplitFactor, moves: readonly HolderMove[]): number {
  const expected = numberOf(factor);
  return moves.filter(({ prior, amount }) => {
    const beside = amount / prior / expected;
    return beside <= 1 + TRADED_BESIDE && beside >= 1 / (1 + TRADED_BESIDE);
  }).length;
}
