import { addDays } from '../calendar.ts';
import { countBy } from '../group.ts';
import type { Cusip, QuarterEnd } from '../ids.ts';
import type { PriceDay } from '../market/market.ts';
import { type Jump, type PricePath, pricePath } from '../market/price-path.ts';
import { BOUNDARY_DAYS } from '../market/thresholds.ts';
import { previousQuarterEnd } from '../quarter.ts';
import type { SplitFactor } from '../report/report.ts';
import type { HoldersThroughout } from './holder-move.ts';
import { medianOf } from './price.ts';
import {
  exactFactor,
  isNearer,
  isSmallSplit,
  isTelling,
  isWithin,
  numberOf,
  SPLIT_FACTORS,
  withoutThousands,
} from './split.ts';
import {
  CARRIED_VALUE_RATIO,
  DOUBLED_PRICE_TOLERANCE,
  EXACT_PRICE_TOLERANCE,
  JUMP_TOLERANCE,
  LARGE_SPLIT,
  LEAST_DIVIDEND,
  LEAST_DOUBLED_PRICE,
  LEAST_JUMP_PRICE,
  LEAST_PRICE,
  MIN_CROWD_HOLDERS,
  MIN_DIVIDEND_VOTES,
  MIN_FEW_DIVIDEND_VOTES,
  SMALL_SPLIT_TOLERANCE,
  SPLIT_JUMP_TOLERANCE,
  SPLIT_PRICE_TOLERANCE,
  STILL_PART,
  TRADED_PART,
  TRADED_PRICE_TOLERANCE,
} from './thresholds.ts';
import type { SplitVote, SuspectedSplit } from './verdict.ts';

/** All factors, with their numbers. */
const NUMBERED = SPLIT_FACTORS.map((factor) => ({ factor, number: numberOf(factor) }));

/** A factor that holders' counts look like, and how far the price beside the market may be from its inverse. */
type Candidate = {
  readonly factor: SplitFactor;
  readonly votes: number;
  readonly exact: number;
  /** How far the median holder's count is from the factor's. */
  readonly apart: number;
  readonly tolerance: number;
};

/** What the holders of a security and the files say of a split, before the move of the whole market is known. */
export type SplitCase = {
  readonly cusip: Cusip;
  readonly compared: number;
  /** Price now for that before, by the holders; null where no holder has both. */
  readonly moved: number | null;
  /** What files and counts decide; null where they do not. */
  readonly decided: SplitVote | SuspectedSplit | null;
  /** Only where no files decide. */
  readonly candidates: readonly Candidate[];
};

type Asked = { readonly cusip: Cusip; readonly quarterEnd: QuarterEnd; readonly days: readonly PriceDay[] };

/** Judges one security by its holders of both quarters and its prices (rules 4.5 to 4.7). */
export function splitCaseOf(holders: HoldersThroughout, { cusip, quarterEnd, days }: Asked): SplitCase {
  const compared = holders.prior.length;
  const none = { cusip, compared, moved: null, decided: null, candidates: [] };
  if (compared === 0) return none;
  const counts = countsOf(holders);
  const moved = movedIn(holders);
  // Most securities have no prices in files, and so many holders stood still that nothing is to be judged.
  if (days.length === 0 && counts.isCalm) return { ...none, moved, candidates: dividendsOf(counts) };
  const prices = pricesOf(holders, moved);
  const ends = inScaleOf(days, prices);
  const path = pricePath(days, quarterEnd, ends);
  const judged = { cusip, quarterEnd, counts, moved };
  const decided = decidedBy(path, judged) ?? endVerdict(path, ends, judged);
  const open = decided === null ? candidatesOf(counts, prices) : [];
  return { ...none, moved, decided, candidates: open.filter(({ factor }) => path.mayHide(numberOf(factor))) };
}

/**
 * What the case says beside a market that moved by `market`: companies split what rose, and what falls by half
 * in a falling market is no split.
 */
export function splitVerdict(
  { cusip, compared, moved, decided, candidates }: SplitCase,
  market: number,
): SplitVote | SuspectedSplit | null {
  if (decided !== null || moved === null) return decided;
  const [best] = candidates
    .map((one) => ({ ...one, price: withoutThousands((numberOf(one.factor) * moved) / market) }))
    .filter(({ price, tolerance }) => isWithin(price, tolerance))
    .sort((a, b) => b.exact - a.exact || b.votes - a.votes || a.apart - b.apart);
  if (best === undefined) return null;
  return { kind: 'split_suspected', cusip, votes: best.votes, compared, factor: best.factor };
}

/** How far a ratio is from 1, in logarithms. */
function distance(ratio: number): number {
  return Math.abs(Math.log(ratio));
}

/** Dollars a share. */
type Prices = { readonly before: number | null; readonly after: number | null };

/** The median holder's price now for that before. The scale of a report may be wrong by a thousand, as no price moves. */
function movedIn({ priceBefore, priceAfter }: HoldersThroughout): number | null {
  const ratios = priceAfter.map((after, at) => after / (priceBefore[at] as number));
  const priced = ratios.filter((ratio) => ratio > 0 && ratio < Number.POSITIVE_INFINITY);
  return priced.length === 0 ? null : medianOf(priced.map(withoutThousands).sort());
}

function pricesOf({ priceBefore, priceAfter }: HoldersThroughout, moved: number | null): Prices {
  if (moved === null) return { before: null, after: null };
  const after = Math.max(priceIn(priceAfter), priceIn(priceBefore) * moved) / 100;
  return { before: after / moved, after };
}

/** The median in the larger of the scales, which is that of dollars. */
function priceIn(prices: Float64Array): number {
  const priced = prices.filter((price) => price > 0);
  const most = priced.reduce((a, b) => Math.max(a, b), 0);
  return medianOf(priced.map((price) => withoutThousands(price / most) * most).sort());
}

/** The reports' prices, which may be a thousand times wrong, beside those of the files. */
function inScaleOf(days: readonly PriceDay[], { before, after }: Prices) {
  const scaled = (price: number | null, day: PriceDay | undefined) =>
    price === null || day === undefined ? price : withoutThousands(price / day.price) * day.price;
  return { before: scaled(before, days[0]), after: scaled(after, days.at(-1)) };
}

type Counts = ReturnType<typeof countsOf>;

function countsOf({ prior, amount }: HoldersThroughout) {
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
    const now = amount[at] as number;
    const factor = exactFactor({ prior: before, amount: now });
    if (factor === null) continue;
    const { all, telling } = counts.get(factor) ?? { all: 0, telling: 0 };
    counts.set(factor, {
      all: all + 1,
      telling: telling + Number(isTelling({ prior: before, amount: now }, factor)),
    });
  }
  return counts;
}

type Judged = Pick<Asked, 'cusip' | 'quarterEnd'> & {
  readonly counts: Counts;
  readonly moved: number | null;
};

/** A jump of the price and counts prove a split; one of them alone is a doubt. */
function decidedBy({ jumps }: PricePath, judged: Judged): SplitVote | SuspectedSplit | null {
  const found = jumps.flatMap((jump) => jumpVerdict(jump, judged) ?? []);
  return found.find(({ kind }) => kind === 'split') ?? found[0] ?? null;
}

function jumpVerdict(jump: Jump, judged: Judged): SplitVote | SuspectedSplit | null {
  const { cusip, counts } = judged;
  const ranked = rankedFactors(jump, counts);
  const [best] = ranked;
  if (best === undefined || !isOfQuarter(jump, { ...judged, factor: best.number })) return null;
  const kind = best.number < 2 ? smallOrReverse(jump, ranked, counts) : forward(jump, ranked, judged);
  if (kind === null) return null;
  const { last, first } = jump;
  return {
    kind,
    cusip,
    votes: kind === 'split' ? best.votes : Math.max(best.votes, counts.closely(best.number)),
    compared: counts.holders,
    factor: best.factor,
    prices: { last, first },
  };
}

/** Between the last price of the files and that of the reports a share may have been split, too (rule 4.7). */
function endVerdict(
  { endRatio }: PricePath,
  { after }: Prices,
  { cusip, counts }: Judged,
): SuspectedSplit | null {
  if (endRatio === null || after === null || after < LEAST_PRICE || counts.still > 0) return null;
  const [best] = rankedFactors({ ratio: endRatio }, counts).filter(({ number }) => number >= 2);
  if (best === undefined) return null;
  const { factor, number } = best;
  return { kind: 'split_suspected', cusip, votes: counts.closely(number), compared: counts.holders, factor };
}

type Ranked = ReturnType<typeof rankedFactors>;

/** Prices of companies that need a reverse split move as far by themselves, and so do all by a small split. */
function smallOrReverse(
  { first }: Jump,
  [best, next]: Ranked,
  counts: Counts,
): 'split' | 'split_suspected' | null {
  if (best === undefined) return null;
  const { number, telling, votes } = best;
  const isProven = telling > (next?.telling ?? 0) && telling >= (isSmallSplit(number) ? 2 : 1);
  if (isProven && votes > counts.still) return 'split';
  // A sharp jump of what is not cheap, while nobody stood still and most moved along.
  const isLike = number > 1 && isSharp(best) && first.price >= LEAST_DOUBLED_PRICE;
  const isMoved = counts.still === 0 && counts.closely(number) * 2 > counts.holders;
  return isLike && isMoved ? 'split_suspected' : null;
}

/** Companies split no cheap shares, but these fall by half. */
function forward(
  { first }: Jump,
  ranked: Ranked,
  { counts, moved }: Judged,
): 'split' | 'split_suspected' | null {
  const [best] = ranked;
  if (best === undefined) return null;
  const isCheap = first.price < LEAST_JUMP_PRICE;
  if (best.votes > counts.still) {
    if (isProven(first.price, ranked, counts) && isExplained(moved, best.number)) return 'split';
    return isCheap && best.exact === 0 ? null : 'split_suspected';
  }
  // As many booked it late as moved by it; or everybody traded.
  const isLike = counts.still === 0 ? isSharp(best) : best.telling >= counts.still;
  return isLike && !isCheap ? 'split_suspected' : null;
}

/** By counts that are to the share those of one factor, or near the only one that such a jump can be. */
function isProven(price: number, [best, next]: Ranked, counts: Counts): boolean {
  if (best === undefined) return false;
  const least = price < LEAST_JUMP_PRICE ? 2 : 1;
  if (best.telling >= least && best.telling > (next?.telling ?? 0)) return true;
  const isOnly = next === undefined && isSharp(best) && price >= LEAST_DOUBLED_PRICE;
  return isOnly && counts.closely(best.number) > counts.still;
}

/** Whether the price of the quarter is that of such a split: a bank that fails halves on several days. */
function isExplained(moved: number | null, factor: number): boolean {
  return moved === null || isWithin(withoutThousands(moved * factor), CARRIED_VALUE_RATIO - 1);
}

function isSharp({ distance }: Ranked[number]): boolean {
  return distance <= Math.log(1 + SPLIT_JUMP_TOLERANCE);
}

/** The factors that the jump allows: that of the most exact counts first, else the nearest. */
function rankedFactors(jump: Pick<Jump, 'ratio'>, counts: Counts) {
  return NUMBERED.filter(({ number }) => isWithin(jump.ratio / number, JUMP_TOLERANCE))
    .map((one) => ({
      ...one,
      votes: counts.near(one.number),
      exact: counts.exact(one.number),
      telling: counts.tellingly(one.number),
      distance: distance(jump.ratio / one.number),
    }))
    .sort((a, b) => b.telling - a.telling || b.exact - a.exact || a.distance - b.distance);
}

/** Around a quarter's end the holders' own prices say on which side of it their counts are. */
function isOfQuarter(
  { last, first }: Jump,
  { quarterEnd, moved, factor }: Pick<Judged, 'quarterEnd' | 'moved'> & { readonly factor: number },
): boolean {
  const isInside =
    last.day > addDays(previousQuarterEnd(quarterEnd), BOUNDARY_DAYS) && first.day <= quarterEnd;
  return isInside || (moved !== null && isNearer(withoutThousands(moved * factor), moved));
}

/** Factors that more counts are near than stood still, and at which such a price is not what falls by itself. */
function candidatesOf(counts: Counts, { after }: Prices): Candidate[] {
  if (after === null) return [];
  const splits = counts.isCalm ? [] : NUMBERED.flatMap((one) => candidateOf(one, counts, after));
  return [...dividendsOf(counts), ...splits];
}

function candidateOf(
  { factor, number }: (typeof NUMBERED)[number],
  counts: Counts,
  price: number,
): Candidate[] {
  const exact = counts.tellingly(number);
  const apart = distance(medianOf(counts.ratios) / number);
  if (exact > counts.still && (number < 1 || price >= LEAST_JUMP_PRICE / 2))
    return [{ factor, votes: exact, exact, apart, tolerance: exactTolerance(number) }];
  const tolerance = toleranceAt(number, price, counts.exact(number) > 0);
  const near = tolerance === null ? 0 : counts.near(number);
  return tolerance !== null && near > counts.still && !isScattered(number, near, counts)
    ? [{ factor, votes: near, exact, apart, tolerance }]
    : [];
}

/** A reverse split often comes with a fall: the price only has to be nearer to the inverse than to no move. */
function exactTolerance(factor: number): number {
  if (isSmallSplit(factor)) return SPLIT_PRICE_TOLERANCE;
  return Math.max(EXACT_PRICE_TOLERANCE, Math.sqrt(1 / factor) - 1);
}

/** Of many holders that buy, some come near a small factor. */
function isScattered(factor: number, near: number, counts: Counts): boolean {
  return isSmallSplit(factor) && near * 4 < counts.holders && counts.tellingly(factor) < MIN_DIVIDEND_VOTES;
}

/** Null where counts near the factor say nothing. */
function toleranceAt(factor: number, price: number, isExact: boolean): number | null {
  if (factor === 1.5 || factor === 2) {
    if (price < LEAST_DOUBLED_PRICE) return null;
    return isExact ? DOUBLED_PRICE_TOLERANCE : TRADED_PRICE_TOLERANCE;
  }
  if (factor <= 2 || price < LEAST_PRICE) return null;
  // What costs so much after so deep a fall did not just fall.
  return factor >= LARGE_SPLIT ? CARRIED_VALUE_RATIO - 1 : SPLIT_PRICE_TOLERANCE;
}

/** A stock dividend moves no price that one could tell: only many exact counts of one whole percent show it. */
function dividendsOf({ ratios, holders, unchanged }: Counts): Candidate[] {
  const raised = [...ratios.filter((ratio) => ratio > 1 && ratio < 1.5)].map((ratio) => ratio * 100);
  const percents = raised.filter((ratio) => Math.abs(ratio - Math.round(ratio)) <= 0.01).map(Math.round);
  const likely = percents.filter((percent) => percent >= LEAST_DIVIDEND && percent < 150);
  const [most] = [...countBy(likely, (percent) => percent)].sort(([a, n], [b, m]) => m - n || a - b);
  const least = holders < MIN_CROWD_HOLDERS ? MIN_FEW_DIVIDEND_VOTES : MIN_DIVIDEND_VOTES;
  if (most === undefined || most[1] < Math.max(least, MIN_DIVIDEND_VOTES * unchanged)) return [];
  const factor = { numerator: BigInt(most[0]), denominator: 100n };
  const votes = most[1];
  return [{ factor, votes, exact: votes, apart: 0, tolerance: EXACT_PRICE_TOLERANCE }];
}
