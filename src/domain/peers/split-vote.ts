import type { Cusip } from '../ids.ts';
import type { SplitFactor } from '../report/report.ts';
import { commonFactorOf, type HolderMove, isMovedBy, isUnchanged } from './holder-move.ts';
import { factorsNear, numberOf, SPLIT_RATIOS } from './split.ts';
import {
  COMMON_RATIO_PCT,
  MAX_FAR_CUT,
  MIN_COMMON_MOVE,
  MIN_FAR_RAISE,
  MIN_MOVED_FOR_EACH_UNCHANGED,
  MIN_SPLIT_VOTES,
  MOVE_TOLERANCE,
  SMALL_SPLIT,
  SMALL_SPLIT_VOTE_SHARE,
  SPLIT_VOTE_SHARE,
  TRADED_PART,
} from './thresholds.ts';
import type { CommonRatio, RefutedSplit, SplitVote } from './verdict.ts';

/** Decimal logarithms of the median price over all filers at both ends; null of fewer than three filers. */
export type PricesAtEnds = { readonly before: number | null; readonly after: number | null };

/** All that decides: the holders of both quarters, how many of them stood still, and the prices. */
type Ballot = {
  readonly holders: readonly HolderMove[];
  readonly unchanged: number;
  readonly prices: PricesAtEnds;
};

type Votes = { readonly factor: SplitFactor; readonly votes: number };

/**
 * What the holders of both quarters say together of a split: confirmed, most moved by a ratio that is
 * too uncertain to restate by, refuted, or null for nothing (rules 4.5 and 4.6).
 */
export function splitVerdict(
  cusip: Cusip,
  holders: readonly HolderMove[],
  prices: PricesAtEnds,
): SplitVote | CommonRatio | RefutedSplit | null {
  const compared = holders.length;
  if (compared < MIN_SPLIT_VOTES) return null;
  const unchanged = holders.filter(isUnchanged).length;
  const ballot = { holders, unchanged, prices };
  const counted = votesOfSplitLike(holders);
  const split = confirmedSplit(counted, ballot);
  if (split !== null) return { kind: 'split', cusip, ...split, compared, unchanged };
  const common = unlistedRatio(holders) ?? unconfirmedSplit(ballot);
  if (common !== null) return { kind: 'common_ratio', cusip, ...common, compared };
  if (!isRefuted(counted, ballot)) return null;
  return { kind: 'refuted', cusip, compared, unchanged, pricePermille: permilleOf(prices) };
}

/** Votes for each usual split, of holders whose own change looks like one; empty when none does. */
function votesOfSplitLike(holders: readonly HolderMove[]): Votes[] {
  const splitLike = holders.filter(({ prior, amount }) => factorsNear(amount / prior).length > 0);
  if (splitLike.length === 0) return [];
  return SPLIT_RATIOS.map((factor) => ({ factor, votes: votesFor(factor, splitLike) }));
}

/** Without a price at both ends nothing is confirmed: counts alone also fit many that bought alike. */
function confirmedSplit(counted: readonly Votes[], { holders, unchanged, prices }: Ballot): Votes | null {
  const quorum = quorumOf(holders);
  const [winner] = counted
    .filter(({ votes }) => votes >= quorum && votes > unchanged)
    .filter(({ factor, votes }) => !isSmall(factor) || votes > holders.length * SMALL_SPLIT_VOTE_SHARE)
    .filter(({ factor }) => isPriced(factor, prices))
    .sort((a, b) => b.votes - a.votes || priceDistance(a.factor, prices) - priceDistance(b.factor, prices));
  return winner ?? null;
}

/** At least one holder's change looks like a split, and enough others stood still. No price is needed. */
function isRefuted(counted: readonly Votes[], { holders, unchanged }: Ballot): boolean {
  const most = Math.max(...counted.map(({ votes }) => votes));
  return counted.length > 0 && unchanged >= quorumOf(holders) && unchanged > most;
}

/**
 * The ratio of most holders, where no usual split has it, such as 21 for 20 in a stock dividend. Any
 * price serves: so many do not trade alike, and the market may move far in the same quarter.
 */
function unlistedRatio(holders: readonly HolderMove[]): Votes | null {
  const factor = commonFactorOf(holders);
  const ratio = numberOf(factor);
  if (ratio <= 0 || Math.abs(ratio - 1) < MIN_COMMON_MOVE || isListed(ratio)) return null;
  const votes = votesFor(factor, holders);
  if (votes < MIN_SPLIT_VOTES || votes * 100 < holders.length * COMMON_RATIO_PCT) return null;
  return { factor, votes };
}

function isListed(ratio: number): boolean {
  return SPLIT_RATIOS.some((factor) => Math.abs(ratio / numberOf(factor) - 1) < MOVE_TOLERANCE);
}

/**
 * A usual split that is not confirmed and cannot be ruled out. All holders are in doubt then: to
 * restate none of them would be as wrong as to restate all.
 */
function unconfirmedSplit(ballot: Ballot): Votes | null {
  const { holders, unchanged, prices } = ballot;
  // Fast exit for almost every security: too few holders moved far enough.
  if (holders.filter(isFar).length < holders.length * SPLIT_VOTE_SHARE) return null;
  const [found] = SPLIT_RATIOS.map((factor) => ({ factor, ...supportOf(factor, ballot) }))
    .filter(({ votes, needed }) => votes >= needed && votes >= unchanged * MIN_MOVED_FOR_EACH_UNCHANGED)
    .sort((a, b) => b.exact - a.exact || priceDistance(a.factor, prices) - priceDistance(b.factor, prices));
  return found === undefined ? null : { factor: found.factor, votes: found.votes };
}

function isFar({ prior, amount }: HolderMove): boolean {
  return amount > prior * MIN_FAR_RAISE || amount < prior * MAX_FAR_CUT;
}

/** Where the price fits, a quorum supports a small split, and moves near a larger one support it too. */
function supportOf(factor: SplitFactor, { holders, prices }: Ballot) {
  const exact = votesFor(factor, holders);
  const most = (holders.length * COMMON_RATIO_PCT) / 100;
  if (!isPriced(factor, prices)) return { exact, votes: exact, needed: Math.max(most, MIN_SPLIT_VOTES) };
  if (isSmall(factor)) return { exact, votes: exact, needed: quorumOf(holders) };
  return { exact, votes: holders.filter((move) => isNear(move, factor)).length, needed: most };
}

function isNear({ prior, amount }: HolderMove, factor: SplitFactor): boolean {
  const traded = amount / prior / numberOf(factor);
  return traded <= 1 + TRADED_PART && traded >= 1 / (1 + TRADED_PART);
}

function quorumOf(holders: readonly HolderMove[]): number {
  return Math.max(MIN_SPLIT_VOTES, holders.length * SPLIT_VOTE_SHARE);
}

function votesFor(factor: SplitFactor, holders: readonly HolderMove[]): number {
  return holders.filter((move) => isMovedBy(move, factor)).length;
}

function isSmall(factor: SplitFactor): boolean {
  return Math.abs(Math.log(numberOf(factor))) <= Math.log(SMALL_SPLIT);
}

/**
 * Whether the price is nearer to the inverse of the factor than to no move, in logarithms. It has no
 * bound: a stock may double in the quarter of its 5 for 1, and a bound would make buyers of its holders.
 */
function isPriced(factor: SplitFactor, prices: PricesAtEnds): boolean {
  const { before, after } = prices;
  if (before === null || after === null) return false;
  return priceDistance(factor, prices) < Math.abs(after - before);
}

/** In decimal orders. */
function priceDistance(factor: SplitFactor, { before, after }: PricesAtEnds): number {
  return Math.abs((after ?? 0) - (before ?? 0) + Math.log10(numberOf(factor)));
}

function permilleOf({ before, after }: PricesAtEnds): number | null {
  return before === null || after === null ? null : Math.round(10 ** (after - before) * 1000);
}
