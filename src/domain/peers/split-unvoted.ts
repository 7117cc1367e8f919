import type { Cusip } from '../ids.ts';
import type { SplitFactor } from '../report/split-factor.ts';
import { type HolderMove, isUnchanged } from './holder-move.ts';
import { numberOf, SPLIT_RATIOS } from './split.ts';
import { COMMON_RATIO_PCT } from './split-unlisted.ts';
import {
  isPriced,
  isSmall,
  MIN_SPLIT_VOTES,
  type PricesAtEnds,
  priceDistance,
  quorumOf,
  SPLIT_VOTE_SHARE,
  votesFor,
} from './split-vote.ts';
import type { CommonRatio } from './verdict.ts';

/** Most holders trade by no more than this part of their shares beside a split. */
export const TRADED_BESIDE = 0.25;
/** Of so many that moved at most one may stand still: in a split nobody's count does. */
export const VOTES_FOR_ONE_STILL = 4;

/** Inside of what the smallest factors need, a fraction settled in cash included. */
const MIN_RAISE = 1.15;
const MIN_CUT = 0.7;

/**
 * A usual split that the holders do not vote, and that cannot be ruled out: most moved by exactly the
 * factor, at whatever price; or the price speaks for it, and most moved near it, or for a small one a
 * quorum moved by it. Null otherwise, as where many stood still. All holders are in doubt then, because
 * restating none of them would be as wrong as all.
 */
export function unvotedSplit(
  cusip: Cusip,
  throughout: readonly HolderMove[],
  prices: PricesAtEnds,
): CommonRatio | null {
  const compared = throughout.length;
  if (compared < MIN_SPLIT_VOTES) return null;
  // Of nearly every security: too few moved far enough for any factor to be asked.
  if (throughout.filter(isFar).length < compared * SPLIT_VOTE_SHARE) return null;
  const unchanged = throughout.filter(isUnchanged).length;
  const [found] = SPLIT_RATIOS.map((factor) => ({ factor, ...votesAt(factor, throughout, prices) }))
    .filter(({ votes, needed }) => votes >= needed && votes >= unchanged * VOTES_FOR_ONE_STILL)
    .sort((a, b) => b.exact - a.exact || priceDistance(a.factor, prices) - priceDistance(b.factor, prices));
  return found === undefined
    ? null
    : { kind: 'common_ratio', cusip, factor: found.factor, votes: found.votes, compared };
}

/** No count that is exactly or nearly moved by any factor lies between: 5 for 4, and 1 for 2 with trades beside. */
function isFar({ prior, amount }: HolderMove): boolean {
  return amount > prior * MIN_RAISE || amount < prior * MIN_CUT;
}

type Votes = { readonly exact: number; readonly votes: number; readonly needed: number };

function votesAt(factor: SplitFactor, throughout: readonly HolderMove[], prices: PricesAtEnds): Votes {
  const compared = throughout.length;
  const exact = votesFor(factor, throughout);
  const most = (compared * COMMON_RATIO_PCT) / 100;
  if (!isPriced(factor, prices)) return { exact, votes: exact, needed: Math.max(most, MIN_SPLIT_VOTES) };
  if (isSmall(factor)) return { exact, votes: exact, needed: quorumOf(compared) };
  return { exact, votes: nearTo(factor, throughout), needed: most };
}

function nearTo(factor: SplitFactor, moves: readonly HolderMove[]): number {
  const expected = numberOf(factor);
  return moves.filter(({ prior, amount }) => {
    const beside = amount / prior / expected;
    return beside <= 1 + TRADED_BESIDE && beside >= 1 / (1 + TRADED_BESIDE);
  }).length;
}
