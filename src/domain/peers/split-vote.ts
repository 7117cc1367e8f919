import type { Cusip } from '../ids.ts';
import { ONE_FOR_ONE, type SplitFactor } from '../report/report.ts';
import { crowdOf, ratiosNear } from './crowd.ts';
import type { HoldersThroughout } from './holder-move.ts';
import {
  CROWD_RATIOS,
  factorsNear,
  isMovedBy,
  isNearer,
  isPriceFollowed,
  isSmallSplit,
  numberOf,
  type Shares,
} from './split.ts';
import {
  CROWD_PCT,
  EXACT_VOTE_PCT,
  LEAST_DIVIDEND,
  MIN_CROWD_HOLDERS,
  MIN_EXACT_FOR_EACH_UNCHANGED,
  MIN_EXACT_VOTES,
  MIN_FEW_VOTES,
} from './thresholds.ts';
import type { RefutedSplit, SplitVote } from './verdict.ts';

/** Decimal logarithms of the median price over all filers at both ends; null of fewer than three filers. */
export type PricesAtEnds = { readonly before: number | null; readonly after: number | null };

type Holders = Pick<HoldersThroughout, 'prior' | 'amount'>;
type Votes = { readonly factor: SplitFactor; readonly votes: number };

/**
 * What the holders of both quarters say together of a split (rule 4.5): they moved by one factor. Or
 * they refute one that a single holder's count looks like. Null for nothing.
 * @param pricesOf is called at most once, and not for most securities
 */
export function splitVerdict(
  cusip: Cusip,
  holders: Holders,
  pricesOf: () => PricesAtEnds,
): SplitVote | RefutedSplit | null {
  const compared = holders.prior.length;
  if (compared < MIN_FEW_VOTES) return null;
  const ratios = holders.amount.map((now, at) => now / (holders.prior[at] as number)).sort();
  let known: number | null | undefined;
  const price = (): number | null => {
    known = known === undefined ? priceRatio(pricesOf()) : known;
    return known;
  };
  const split = splitOfCrowd(ratios, price) ?? splitOfExactCounts(holders, price);
  if (split !== null) return { kind: 'split', cusip, ...split, compared };
  const votes = votesAgainst(holders, ratios);
  if (votes === 0) return null;
  const moved = price();
  return { kind: 'refuted', cusip, votes, compared, pricePermille: moved && Math.round(moved * 1000) };
}

function priceRatio({ before, after }: PricesAtEnds): number | null {
  return before === null || after === null ? null : 10 ** (after - before);
}

/**
 * A split of 2 or more. The price has no bound: a stock may double in the quarter of its 5 for 1, and a
 * bound would make buyers of its holders.
 */
function splitOfCrowd(ratios: Float64Array, price: () => number | null): Votes | null {
  const crowd = crowdOf(ratios, CROWD_RATIOS);
  if (crowd === null || crowd.votes < MIN_CROWD_HOLDERS) return null;
  const moved = price();
  const isPriced = moved !== null && isNearer(moved * numberOf(crowd.factor), moved);
  return isPriced ? { factor: crowd.factor, votes: crowd.votes } : null;
}

/**
 * Counts that are exactly a factor's decide where no crowd does: among few holders, and for a split below 2
 * or a stock dividend, which is too near to what holders trade. In the quarter of a split no count stands
 * still, and chance seldom makes two of them exact.
 */
function splitOfExactCounts(holders: Holders, price: () => number | null): Votes | null {
  const { unchanged, exact } = exactCounts(holders);
  const [most, next] = exact.sort((a, b) => b.votes - a.votes);
  // A split moves all by one factor. And the first of equals would depend on who filed first.
  if (most?.votes === next?.votes) return null;
  const needed = Math.max(quorumOf(holders.prior.length), unchanged * MIN_EXACT_FOR_EACH_UNCHANGED);
  if (most === undefined || most.votes < needed) return null;
  const [moved, factor] = [price(), numberOf(most.factor)];
  if (moved === null) return null;
  const isPriced = isSmallSplit(factor) ? isPriceFollowed(moved * factor) : isNearer(moved * factor, moved);
  return isPriced ? most : null;
}

function quorumOf(compared: number): number {
  return compared < MIN_CROWD_HOLDERS
    ? Math.max(MIN_FEW_VOTES, (compared * CROWD_PCT) / 100)
    : Math.max(MIN_EXACT_VOTES, (compared * EXACT_VOTE_PCT) / 100);
}

/** Holders whose count did not move, and how many moved by each factor exactly. */
function exactCounts({ prior, amount }: Holders) {
  const exact = new Map<string, { readonly factor: SplitFactor; votes: number }>();
  let unchanged = 0;
  for (let at = 0; at < prior.length; at += 1) {
    const move = { prior: prior[at] as number, amount: amount[at] as number };
    const factor = isMovedBy(move, 1) ? ONE_FOR_ONE : exactFactor(move);
    if (factor === null) continue;
    if (factor === ONE_FOR_ONE) unchanged += 1;
    else {
      const key = `${factor.numerator} for ${factor.denominator}`;
      const known = exact.get(key) ?? { factor, votes: 0 };
      known.votes += 1;
      exact.set(key, known);
    }
  }
  return { unchanged, exact: [...exact.values()] };
}

/** Whole percents and thirds between 1 and 2, as stock dividends have them; the usual splits beyond. */
function exactFactor(move: Shares): SplitFactor | null {
  const moved = move.amount / move.prior;
  if (moved >= 2 || moved <= 1 / 2) {
    return CROWD_RATIOS.find((factor) => isMovedBy(move, numberOf(factor))) ?? null;
  }
  if (moved < LEAST_DIVIDEND) return null;
  const parts = STEPS.map((step) => Math.round((moved * WHOLE) / step) * step);
  const exact = parts.find((one) => isMovedBy(move, one / WHOLE));
  return exact === undefined ? null : lowestTerms(exact);
}

/** Percents and thirds are whole numbers of these parts. */
const WHOLE = 300;
const STEPS = [3, 100] as const;

function lowestTerms(parts: number): SplitFactor {
  const divisor = commonDivisor(parts, WHOLE);
  return { numerator: BigInt(parts / divisor), denominator: BigInt(WHOLE / divisor) };
}

function commonDivisor(a: number, b: number): number {
  return b === 0 ? a : commonDivisor(b, a % b);
}

/**
 * Holders that did not move by any factor that a holder's count looks like; 0 where they do not refute it:
 * too few, or fewer than moved by it.
 */
function votesAgainst(holders: Holders, ratios: Float64Array): number {
  const factors = suspectedFactors(holders);
  if (factors.size === 0) return 0;
  const most = Math.max(...[...factors].map((factor) => movedBy(factor, holders, ratios)));
  const against = ratios.length - most;
  return against >= MIN_CROWD_HOLDERS && against > most ? against : 0;
}

function suspectedFactors({ prior, amount }: Holders): ReadonlySet<number> {
  const factors = new Set<number>();
  for (let at = 0; at < prior.length; at += 1) {
    const near = factorsNear({ prior: prior[at] as number, amount: amount[at] as number });
    for (const factor of near) factors.add(factor);
  }
  return factors;
}

/** Nearly for a large factor, as in a crowd, and exactly for a small one. */
function movedBy(factor: number, { prior, amount }: Holders, ratios: Float64Array): number {
  if (factor >= 2 || factor <= 1 / 2) return ratiosNear(ratios, factor).length;
  return prior.reduce(
    (count, before, at) => count + Number(isMovedBy({ prior: before, amount: amount[at] as number }, factor)),
    0,
  );
}
