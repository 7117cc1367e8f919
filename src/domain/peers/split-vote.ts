import type { Cusip } from '../ids.ts';
import type { SplitFactor } from '../report/split-factor.ts';
import { type HolderMove, isMovedBy, isUnchanged } from './holder-move.ts';
import { numberOf, SPLIT_FACTORS, SPLIT_RATIOS, SPLIT_SHARE_TOLERANCE } from './split.ts';
import type { RefutedSplit, SplitVote } from './verdict.ts';

/** Filers that must agree, and their share of those that held the security at both ends (rule 4.5). */
export const MIN_SPLIT_VOTES = 5;
export const SPLIT_VOTE_SHARE = 0.25;
/**
 * Up to this factor either way, the counts must say more: holders of one complex that rebalance alike
 * add a quarter too, and the price of no split at all is within the tolerance. Most must have moved.
 */
export const SMALL_SPLIT = 3 / 2;
export const SMALL_SPLIT_VOTE_SHARE = 0.5;

const LARGEST_REVERSE = Math.max(...SPLIT_FACTORS.filter((factor) => factor < 1));
const SMALLEST_FORWARD = Math.min(...SPLIT_FACTORS.filter((factor) => factor > 1));

/** Decimal logarithms of the median price over all filers at both ends; null of fewer than three. */
export type PricesAtEnds = { readonly before: number | null; readonly after: number | null };

type Tally = { readonly factor: SplitFactor; readonly votes: number };

/**
 * A split that the holders confirm, or one that they refute where a single holder's change could
 * look like it; null otherwise (rule 4.5). Without a price at both ends there is no vote: the
 * counts alone do not tell a split from many who bought alike. To refute takes no price.
 */
export function splitVerdict(
  cusip: Cusip,
  throughout: readonly HolderMove[],
  prices: PricesAtEnds,
): SplitVote | RefutedSplit | null {
  const compared = throughout.length;
  const quorum = quorumOf(compared);
  if (compared < quorum) return null;
  const traded = throughout.filter(isNearCandidate);
  if (traded.length === 0) return null;
  const unchanged = throughout.filter(isUnchanged).length;
  const tallies = SPLIT_RATIOS.map((factor) => ({ factor, votes: votesFor(factor, traded) }));
  const winner = tallies
    .filter(({ votes }) => votes >= quorum && votes > unchanged)
    .filter(({ factor, votes }) => hasMajority(factor, votes, compared) && isPriced(factor, prices))
    .sort(
      (a, b) => b.votes - a.votes || priceDistance(a.factor, prices) - priceDistance(b.factor, prices),
    )[0];
  if (winner !== undefined) return { kind: 'split', cusip, ...winner, compared, unchanged };
  const most = Math.max(...tallies.map(({ votes }: Tally) => votes));
  if (unchanged < quorum || unchanged <= most) return null;
  return { kind: 'refuted', cusip, compared, unchanged, pricePermille: permilleOf(prices) };
}

/** Of so many holders, the votes that a split takes at least. */
export function quorumOf(compared: number): number {
  return Math.max(MIN_SPLIT_VOTES, compared * SPLIT_VOTE_SHARE);
}

function permilleOf({ before, after }: PricesAtEnds): number | null {
  return before === null || after === null ? null : Math.round(10 ** (after - before) * 1000);
}

export function votesFor(factor: SplitFactor, moves: readonly HolderMove[]): number {
  return moves.filter((move) => isMovedBy(move, factor)).length;
}

/**
 * Near enough to a factor for one holder's change to look like it (rule 4.7), whatever its values:
 * their unit may be wrong.
 */
function isNearCandidate({ prior, amount }: HolderMove): boolean {
  const shares = amount / prior;
  if (
    shares > LARGEST_REVERSE * (1 + SPLIT_SHARE_TOLERANCE) &&
    shares < SMALLEST_FORWARD * (1 - SPLIT_SHARE_TOLERANCE)
  ) {
    return false;
  }
  return SPLIT_FACTORS.some((factor) => Math.abs(shares - factor) <= SPLIT_SHARE_TOLERANCE * factor);
}

function hasMajority(factor: SplitFactor, votes: number, compared: number): boolean {
  return !isSmall(factor) || votes > compared * SMALL_SPLIT_VOTE_SHARE;
}

/** So near to 1 that trades and markets come near to it too. */
export function isSmall(factor: SplitFactor): boolean {
  return Math.abs(Math.log(numberOf(factor))) <= Math.log(SMALL_SPLIT);
}

/**
 * In orders nearer to the inverse of the factor than to the price before. A stock may move far beside
 * its split, as one that doubled in the quarter of its 5 for 1: a bound would call all of its holders
 * buyers.
 */
export function isPriced(factor: SplitFactor, prices: PricesAtEnds): boolean {
  const { before, after } = prices;
  if (before === null || after === null) return false;
  return priceDistance(factor, prices) < Math.abs(after - before);
}

/** In decimal orders. */
export function priceDistance(factor: SplitFactor, { before, after }: PricesAtEnds): number {
  return Math.abs((after ?? 0) - (before ?? 0) + Math.log10(numberOf(factor)));
}
