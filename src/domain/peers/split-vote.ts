import type { Cusip } from '../ids.ts';
import type { SplitFactor } from '../report/report.ts';
import {
  commonFactorOf,
  type HoldersThroughout,
  isMovedBy,
  isUnchanged,
  type Shares,
} from './holder-move.ts';
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

type Holders = Pick<HoldersThroughout, 'prior' | 'amount'>;

/** All that decides: the holders of both quarters, how many of them stood still, and the prices. */
type Ballot = {
  readonly holders: Holders;
  readonly compared: number;
  readonly unchanged: number;
  readonly prices: () => PricesAtEnds;
};

const RATIOS = SPLIT_RATIOS.map((factor) => ({ factor, ratio: numberOf(factor) }));

type Votes = { readonly factor: SplitFactor; readonly votes: number };

/**
 * What the holders of both quarters say together of a split: confirmed, most moved by a ratio that is
 * too uncertain to restate by, refuted, or null for nothing (rules 4.5 and 4.6).
 * @param pricesOf is called at most once, and not for most securities
 */
export function splitVerdict(
  cusip: Cusip,
  holders: Holders,
  pricesOf: () => PricesAtEnds,
): SplitVote | CommonRatio | RefutedSplit | null {
  const compared = holders.prior.length;
  if (compared < MIN_SPLIT_VOTES) return null;
  const unchanged = countOf(holders, isUnchanged);
  const counted = votesOfSplitLike(holders);
  let prices: PricesAtEnds | null = null;
  const ballot: Ballot = { holders, compared, unchanged, prices: () => (prices ??= pricesOf()) };
  const split = confirmedSplit(counted, ballot);
  if (split !== null) return { kind: 'split', cusip, ...split, compared, unchanged };
  const common = unlistedRatio(holders) ?? unconfirmedSplit(ballot);
  if (common !== null) return { kind: 'common_ratio', cusip, ...common, compared };
  if (!isRefuted(counted, ballot)) return null;
  return { kind: 'refuted', cusip, compared, unchanged, pricePermille: permilleOf(ballot.prices()) };
}

/** Votes for each usual split, of holders whose own change looks like one; empty when none does. */
function votesOfSplitLike({ prior, amount }: Holders): Votes[] {
  const splitLike: Shares[] = [];
  for (let at = 0; at < prior.length; at += 1) {
    const move = { prior: prior[at] as number, amount: amount[at] as number };
    if (factorsNear(move.amount / move.prior).length > 0) splitLike.push(move);
  }
  if (splitLike.length === 0) return [];
  return RATIOS.map(({ factor, ratio }) => ({
    factor,
    votes: splitLike.filter((move) => isMovedBy(move, ratio)).length,
  }));
}

/** How many of the holders moved so. */
function countOf({ prior, amount }: Holders, isSo: (move: Shares) => boolean): number {
  let count = 0;
  for (let at = 0; at < prior.length; at += 1) {
    if (isSo({ prior: prior[at] as number, amount: amount[at] as number })) count += 1;
  }
  return count;
}

/** Without a price at both ends nothing is confirmed: counts alone also fit many that bought alike. */
function confirmedSplit(counted: readonly Votes[], { compared, unchanged, prices }: Ballot): Votes | null {
  const quorum = quorumOf(compared);
  const [winner] = counted
    .filter(({ votes }) => votes >= quorum && votes > unchanged)
    .filter(({ factor, votes }) => !isSmall(factor) || votes > compared * SMALL_SPLIT_VOTE_SHARE)
    .filter(({ factor }) => isPriced(factor, prices()))
    .sort((a, b) => b.votes - a.votes || distanceFrom(prices(), a, b));
  return winner ?? null;
}

/** At least one holder's change looks like a split, and enough others stood still. No price is needed. */
function isRefuted(counted: readonly Votes[], { compared, unchanged }: Ballot): boolean {
  const most = Math.max(...counted.map(({ votes }) => votes));
  return counted.length > 0 && unchanged >= quorumOf(compared) && unchanged > most;
}

/**
 * The ratio of most holders, where no usual split has it, such as 21 for 20 in a stock dividend. Any
 * price serves: so many do not trade alike, and the market may move far in the same quarter.
 */
function unlistedRatio(holders: Holders): Votes | null {
  const { prior, amount } = holders;
  // Fast exit for almost every security: most stood still, and so did the median holder.
  if (countOf(holders, isNearStill) * 2 > prior.length) return null;
  const factor = commonFactorOf(amount.map((now, at) => now / (prior[at] as number)));
  const ratio = numberOf(factor);
  if (ratio <= 0 || Math.abs(ratio - 1) < MIN_COMMON_MOVE || isListed(ratio)) return null;
  const votes = votesFor(factor, holders);
  if (votes < MIN_SPLIT_VOTES || votes * 100 < prior.length * COMMON_RATIO_PCT) return null;
  return { factor, votes };
}

/** Nearer to 1 than {@link MIN_COMMON_MOVE}, whatever small ratio is found for it. */
function isNearStill({ prior, amount }: Shares): boolean {
  return Math.abs(amount / prior - 1) < MIN_COMMON_MOVE / 2;
}

function isListed(ratio: number): boolean {
  return SPLIT_RATIOS.some((factor) => Math.abs(ratio / numberOf(factor) - 1) < MOVE_TOLERANCE);
}

/**
 * A usual split that is not confirmed and cannot be ruled out. All holders are in doubt then: to
 * restate none of them would be as wrong as to restate all.
 */
function unconfirmedSplit(ballot: Ballot): Votes | null {
  const { holders, compared, unchanged, prices } = ballot;
  // Fast exit for almost every security: too few holders moved far enough.
  if (countOf(holders, isFar) < compared * SPLIT_VOTE_SHARE) return null;
  const [found] = SPLIT_RATIOS.map((factor) => ({ factor, ...supportOf(factor, ballot) }))
    .filter(({ votes, needed }) => votes >= needed && votes >= unchanged * MIN_MOVED_FOR_EACH_UNCHANGED)
    .sort((a, b) => b.exact - a.exact || distanceFrom(prices(), a, b));
  return found === undefined ? null : { factor: found.factor, votes: found.votes };
}

function isFar({ prior, amount }: Shares): boolean {
  return amount > prior * MIN_FAR_RAISE || amount < prior * MAX_FAR_CUT;
}

/** Where the price fits, a quorum supports a small split, and moves near a larger one support it too. */
function supportOf(factor: SplitFactor, { holders, compared, prices }: Ballot) {
  const exact = votesFor(factor, holders);
  const most = (compared * COMMON_RATIO_PCT) / 100;
  if (!isPriced(factor, prices())) return { exact, votes: exact, needed: Math.max(most, MIN_SPLIT_VOTES) };
  if (isSmall(factor)) return { exact, votes: exact, needed: quorumOf(compared) };
  const ratio = numberOf(factor);
  return { exact, votes: countOf(holders, (move) => isNear(move, ratio)), needed: most };
}

function isNear({ prior, amount }: Shares, ratio: number): boolean {
  const traded = amount / prior / ratio;
  return traded <= 1 + TRADED_PART && traded >= 1 / (1 + TRADED_PART);
}

function quorumOf(compared: number): number {
  return Math.max(MIN_SPLIT_VOTES, compared * SPLIT_VOTE_SHARE);
}

function votesFor(factor: SplitFactor, holders: Holders): number {
  const ratio = numberOf(factor);
  return countOf(holders, (move) => isMovedBy(move, ratio));
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

type OfFactor = { readonly factor: SplitFactor };

function distanceFrom(prices: PricesAtEnds, a: OfFactor, b: OfFactor): number {
  return priceDistance(a.factor, prices) - priceDistance(b.factor, prices);
}

/** In decimal orders. */
function priceDistance(factor: SplitFactor, { before, after }: PricesAtEnds): number {
  return Math.abs((after ?? 0) - (before ?? 0) + Math.log10(numberOf(factor)));
}

function permilleOf({ before, after }: PricesAtEnds): number | null {
  return before === null || after === null ? null : Math.round(10 ** (after - before) * 1000);
}
