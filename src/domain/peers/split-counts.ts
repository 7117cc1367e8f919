import { countBy } from '../group.ts';
import type { SplitFactor } from '../report/report.ts';
import type { HoldersThroughout } from './holder-move.ts';
import { distance, exactFactor, isSmallSplit, isTelling, medianOf, NUMBERED } from './split.ts';
import {
  CARRIED_VALUE_RATIO,
  DOUBLED_PRICE_TOLERANCE,
  EXACT_PRICE_TOLERANCE,
  LARGE_SPLIT,
  LEAST_DIVIDEND,
  LEAST_DOUBLED_PRICE,
  LEAST_JUMP_PRICE,
  LEAST_PRICE,
  MIN_CROWD_HOLDERS,
  MIN_DIVIDEND_VOTES,
  MIN_FEW_DIVIDEND_VOTES,
  MIN_MASS_MOVE_HOLDERS,
  MOVED_TIMES,
  SHARP_PRICE_TOLERANCE,
  SMALL_SPLIT_TOLERANCE,
  SPLIT_PRICE_TOLERANCE,
  STILL_PART,
  TRADED_PART,
  TRADED_PRICE_TOLERANCE,
  TRADED_TIMES,
} from './thresholds.ts';

export type Counts = ReturnType<typeof countsOf>;

/** How holders' counts moved in the quarter. */
export function countsOf({ prior, amount }: HoldersThroughout) {
  const ratios = Float64Array.from(amount, (now, at) => now / (prior[at] as number)).sort();
  const between = (from: number, to: number) => placeOf(ratios, to, true) - placeOf(ratios, from, false);
  const within = (factor: number, part: number) => between(factor / (1 + part), factor * (1 + part));
  const still = within(1, STILL_PART);
  let exact: ReturnType<typeof exactCounts> | null = null;
  const exactly = (factor: number) => {
    exact ??= exactCounts({ prior, amount });
    return exact.get(factor) ?? { all: 0, telling: 0 };
  };
  return {
    ratios,
    holders: ratios.length,
    still,
    /** No more can have moved by a factor than stood still. */
    isCalm: still * 2 >= ratios.length,
    unchanged: between(1, 1),
    near: (factor: number) => within(factor, isSmallSplit(factor) ? SMALL_SPLIT_TOLERANCE : TRADED_PART),
    /** Of counts that doubled at least, those of holders who traded most of the position beside it, too. */
    traded: (factor: number) => between(Math.max(2, factor / TRADED_TIMES), factor * TRADED_TIMES),
    closely: (factor: number) => within(factor, STILL_PART),
    exact: (factor: number) => exactly(factor).all,
    /** Who buys round counts doubles exactly, too. */
    tellingly: (factor: number) => exactly(factor).telling,
  };
}

/** How many sorted ratios are below the bound, or up to it. */
function placeOf(ratios: Float64Array, bound: number, isIncluded: boolean): number {
  let [low, high] = [0, ratios.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const ratio = ratios[middle] as number;
    if (ratio < bound || (isIncluded && ratio === bound)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** How many holders' counts are to the share those of a factor, and of how many that is no chance. */
function exactCounts({ prior, amount }: Pick<HoldersThroughout, 'prior' | 'amount'>) {
  const counts = new Map<number, { all: number; telling: number }>();
  for (const [at, before] of prior.entries()) {
    const shares = { prior: before, amount: amount[at] as number };
    const factor = exactFactor(shares);
    if (factor === null) continue;
    const { all, telling } = counts.get(factor) ?? { all: 0, telling: 0 };
    counts.set(factor, { all: all + 1, telling: telling + Number(isTelling(shares, factor)) });
  }
  return counts;
}

/** A factor that holders' counts look like, and how far the price beside the market may be from its inverse. */
export type Candidate = {
  readonly factor: SplitFactor;
  /** Holders whose counts are about the factor. */
  readonly votes: number;
  readonly exact: number;
  /** How far the median holder's count is from the factor's. */
  readonly apart: number;
  readonly tolerance: number;
};

/** Factors that more counts are near than stood still, and at which such a price is not what falls by itself. */
export function candidatesOf(counts: Counts, { after }: { readonly after: number | null }): Candidate[] {
  if (after === null) return [];
  const splits = counts.isCalm ? [] : SHOWN_BY_COUNTS.flatMap((one) => candidateOf(one, counts, after));
  return [...dividendsOf(counts), ...splits];
}

/** Nobody splits 3 for 4, but a holder sells a quarter, to the share. */
const SHOWN_BY_COUNTS = NUMBERED.filter(({ number }) => number > 1 || !isSmallSplit(number));

function candidateOf(
  { factor, number }: (typeof NUMBERED)[number],
  counts: Counts,
  price: number,
): Candidate[] {
  const exact = counts.tellingly(number);
  const apart = distance(medianOf(counts.ratios) / number);
  const candidate = (votes: number, tolerance: number): Candidate[] =>
    votes > counts.still
      ? [{ factor, votes: Math.max(counts.near(number), counts.closely(number)), exact, apart, tolerance }]
      : [];
  if (exact > counts.still && (number < 1 || price >= LEAST_JUMP_PRICE / 2))
    return candidate(exact, exactTolerance(number));
  const shown = [nearFactor(number, counts, price)];
  // Where hardly any stood still, one of two witnesses may be vaguer, if the other is sharper.
  if (number >= 1.5 && price >= LEAST_DOUBLED_PRICE)
    shown.push(mostNearFactor(number, counts), tradedBeside(number, counts));
  return shown.flatMap((one) => (one === null ? [] : candidate(one.votes, one.tolerance)));
}

/** A reverse split often comes with a fall: the price only has to be nearer to the inverse than to no move. */
function exactTolerance(factor: number): number {
  if (isSmallSplit(factor)) return SPLIT_PRICE_TOLERANCE;
  return Math.max(EXACT_PRICE_TOLERANCE, Math.sqrt(1 / factor) - 1);
}

type Shown = Pick<Candidate, 'votes' | 'tolerance'>;

/** Null where counts near the factor say nothing. */
function nearFactor(factor: number, counts: Counts, price: number): Shown | null {
  const tolerance = toleranceAt(factor, price, counts.exact(factor) > 0);
  const votes = counts.near(factor);
  return tolerance === null || isChance(factor, votes, counts) ? null : { votes, tolerance };
}

/** Many a price falls by half in a quarter, and of several holders one doubled what it has. */
function isChance(factor: number, votes: number, { holders }: Counts): boolean {
  return factor <= 2 && votes * 2 < holders;
}

function toleranceAt(factor: number, price: number, isExact: boolean): number | null {
  if (factor === 1.5 || factor === 2) {
    if (price < LEAST_DOUBLED_PRICE) return null;
    return isExact ? DOUBLED_PRICE_TOLERANCE : TRADED_PRICE_TOLERANCE;
  }
  if (factor <= 2 || price < LEAST_PRICE) return null;
  // What costs so much after so deep a fall did not just fall.
  return factor >= LARGE_SPLIT ? CARRIED_VALUE_RATIO - 1 : SPLIT_PRICE_TOLERANCE;
}

/** Most of several holders moved by about the factor, as they do by no chance. */
function mostNearFactor(factor: number, counts: Counts): Shown | null {
  const isSmall = isSmallSplit(factor);
  const votes = isSmall ? counts.closely(factor) : counts.near(factor);
  const isMost = votes * 2 > counts.holders && votes >= counts.still * MOVED_TIMES;
  const isAll = votes === counts.holders;
  if (counts.holders < 2 || !(isAll || (isMost && counts.holders >= MIN_MASS_MOVE_HOLDERS))) return null;
  // All of a crowd may buy when a price falls, but not to the share.
  const isCrowd = counts.holders >= MIN_CROWD_HOLDERS && counts.tellingly(factor) > 1;
  if (isCrowd) return { votes, tolerance: EXACT_PRICE_TOLERANCE };
  return { votes, tolerance: isSmall ? TRADED_PRICE_TOLERANCE : SPLIT_PRICE_TOLERANCE };
}

/** Counts doubled at least, whatever was traded beside a split, at a price that is just its inverse. */
function tradedBeside(factor: number, counts: Counts): Shown | null {
  const votes = counts.traded(factor);
  if (counts.still > 0 || isSmallSplit(factor) || isChance(factor, votes, counts)) return null;
  return { votes, tolerance: SHARP_PRICE_TOLERANCE };
}

/** A stock dividend moves no price that one could tell: only many exact counts of one whole percent show it. */
export function dividendsOf({ ratios, holders, unchanged }: Counts): Candidate[] {
  const percents = Array.from(ratios, (ratio) => ratio * 100);
  const whole = percents.filter((percent) => Math.abs(percent - Math.round(percent)) <= 0.01).map(Math.round);
  const likely = whole.filter((percent) => percent >= LEAST_DIVIDEND && percent < 150);
  const [most] = [...countBy(likely, (percent) => percent)].sort(([a, n], [b, m]) => m - n || a - b);
  const least = holders < MIN_CROWD_HOLDERS ? MIN_FEW_DIVIDEND_VOTES : MIN_DIVIDEND_VOTES;
  const [percent = 0, votes = 0] = most ?? [];
  if (votes < Math.max(least, MIN_DIVIDEND_VOTES * unchanged)) return [];
  const factor = { numerator: BigInt(percent), denominator: 100n };
  return [{ factor, votes, exact: votes, apart: 0, tolerance: EXACT_PRICE_TOLERANCE }];
}
