import { addDays } from '../calendar.ts';
import type { Cusip, QuarterEnd } from '../ids.ts';
import type { PriceDay } from '../market/market.ts';
import { type Jump, type PricePath, pricePath } from '../market/price-path.ts';
import { BOUNDARY_DAYS } from '../market/thresholds.ts';
import { previousQuarterEnd } from '../quarter.ts';
import type { HoldersThroughout } from './holder-move.ts';
import { distance, isSmallSplit, isWithin, medianOf, NUMBERED, numberOf, withoutThousands } from './split.ts';
import { type Candidate, type Counts, candidatesOf, countsOf, dividendsOf } from './split-counts.ts';
import {
  CARRIED_VALUE_RATIO,
  JUMP_TOLERANCE,
  LEAST_DOUBLED_PRICE,
  LEAST_JUMP_PRICE,
  LEAST_PRICE,
  SPLIT_JUMP_TOLERANCE,
  TRADED_PRICE_TOLERANCE,
} from './thresholds.ts';
import type { SplitVote } from './verdict.ts';

/** What the holders of a security and the files say of a split, before the move of the whole market is known. */
export type SplitCase = {
  readonly cusip: Cusip;
  readonly compared: number;
  /** Price now for that before, by the holders; null where no holder has both. */
  readonly moved: number | null;
  /** What files and counts decide; null where they do not. */
  readonly decided: SplitVote | null;
  /** Only where no files decide. */
  readonly candidates: readonly Candidate[];
  /** Factors that it may share with the issuer's other securities. */
  readonly shareable: typeof NUMBERED;
};

type Asked = { readonly cusip: Cusip; readonly quarterEnd: QuarterEnd; readonly days: readonly PriceDay[] };

/** Judges one security by its holders of both quarters and its prices (rules 4.5 to 4.7). */
export function splitCaseOf(holders: HoldersThroughout, { cusip, quarterEnd, days }: Asked): SplitCase {
  const compared = holders.prior.length;
  const none = { cusip, compared, moved: null, decided: null, candidates: [], shareable: [] };
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
  const candidates = open.filter(({ factor }) => path.mayHide(numberOf(factor)));
  // What is cheap just falls.
  const isOpen = decided === null && counts.still === 0 && (prices.after ?? 0) >= LEAST_DOUBLED_PRICE;
  const shareable = isOpen ? NUMBERED.filter(({ number }) => number >= 1.5 && path.mayHide(number)) : [];
  return { ...none, moved, decided, candidates, shareable };
}

/**
 * What the case says beside a market that moved by `market`: companies split what rose, and what falls by half
 * in a falling market is no split.
 * @param others of the issuer: all of its classes are split at once, or many funds of a trust
 */
export function splitVerdict(
  { cusip, compared, moved, decided, candidates, shareable }: SplitCase,
  market: number,
  others: readonly SplitVote[] = [],
): SplitVote | null {
  if (decided !== null || moved === null) return decided;
  // Its own counts say nothing of the factor: only the price does.
  const last = { votes: 0, exact: -1, apart: 0, tolerance: TRADED_PRICE_TOLERANCE };
  const shared = shareable
    .filter(({ factor }) => others.some((other) => other.factor === factor))
    .map(({ factor }) => ({ factor, ...last }));
  const [best] = [...candidates, ...shared]
    .map((one) => ({ ...one, price: withoutThousands((numberOf(one.factor) * moved) / market) }))
    .filter(({ price, tolerance }) => isWithin(price, tolerance))
    .sort((a, b) => b.exact - a.exact || b.votes - a.votes || a.apart - b.apart);
  if (best === undefined) return null;
  return { kind: 'split_suspected', cusip, votes: best.votes, compared, factor: best.factor };
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

type Judged = Pick<Asked, 'cusip' | 'quarterEnd'> & {
  readonly counts: Counts;
  readonly moved: number | null;
};

/** A jump of the price and counts prove a split; one of them alone is a doubt. */
function decidedBy({ jumps }: PricePath, judged: Judged): SplitVote | null {
  const found = jumps.flatMap((jump) => jumpVerdict(jump, judged) ?? []);
  return found.find(({ kind }) => kind === 'split') ?? found[0] ?? null;
}

function jumpVerdict(jump: Jump, judged: Judged): SplitVote | null {
  const { cusip, counts } = judged;
  const [best, next] = rankedFactors(jump, counts);
  if (best === undefined || !isOfQuarter(jump, { ...judged, factor: best.number })) return null;
  const found = { best, next, price: jump.first.price };
  const kind = best.number < 2 ? smallOrReverse(found, counts) : forward(found, judged);
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
function endVerdict({ endRatio }: PricePath, { after }: Prices, { cusip, counts }: Judged): SplitVote | null {
  if (endRatio === null || after === null || after < LEAST_PRICE || counts.still > 0) return null;
  const best = rankedFactors({ ratio: endRatio }, counts).find(({ number }) => number >= 2);
  if (best === undefined) return null;
  const { factor, number } = best;
  return { kind: 'split_suspected', cusip, votes: counts.closely(number), compared: counts.holders, factor };
}

type Ranked = ReturnType<typeof rankedFactors>[number];
/** The factor of a jump, the one that ranks next, and dollars a share after it. */
type Found = { readonly best: Ranked; readonly next: Ranked | undefined; readonly price: number };

/** Prices of companies that need a reverse split move as far by themselves, and so do all by a small split. */
function smallOrReverse({ best, next, price }: Found, counts: Counts): SplitVote['kind'] | null {
  const { number, votes } = best;
  if (isExact({ best, next }, isSmallSplit(number) ? 2 : 1) && votes > counts.still) return 'split';
  // A sharp jump of what is not cheap, while nobody stood still. Prices fall by a quarter on many a day.
  const isLike = number >= 1.5 && isSharp(best) && price >= LEAST_DOUBLED_PRICE;
  return isLike && counts.still === 0 && counts.closely(number) * 2 > counts.holders
    ? 'split_suspected'
    : null;
}

/** Companies split no cheap shares, but these fall by half. */
function forward({ best, next, price }: Found, { counts, moved }: Judged): SplitVote['kind'] | null {
  const isCheap = price < LEAST_JUMP_PRICE;
  if (best.votes > counts.still) {
    // Or near the only factor that such a jump can be.
    const isOnly = next === undefined && isSharp(best) && price >= LEAST_DOUBLED_PRICE;
    const isProven = (isOnly && isHalfNear(best, counts)) || isExact({ best, next }, isCheap ? 2 : 1);
    if (isProven && isExplained(moved, best.number)) return 'split';
    return isCheap && best.exact === 0 ? null : 'split_suspected';
  }
  // As many booked it late as moved by it; or everybody traded.
  const isLike = counts.still === 0 ? isSharp(best) : best.telling >= counts.still;
  return isLike && !isCheap ? 'split_suspected' : null;
}

/** Whether half of the holders are near the factor, and one closely: a price falls by half, too, and one of three buys. */
function isHalfNear({ number, votes }: Ranked, counts: Counts): boolean {
  return votes * 2 >= counts.holders && counts.closely(number) > counts.still;
}

/** By counts that are to the share those of one factor. */
function isExact({ best, next }: Pick<Found, 'best' | 'next'>, least: number): boolean {
  return best.telling >= least && best.telling > (next?.telling ?? 0);
}

/** Whether the price of the quarter is that of such a split: a bank that fails halves on several days. */
function isExplained(moved: number | null, factor: number): boolean {
  return moved === null || isWithin(withoutThousands(moved * factor), CARRIED_VALUE_RATIO - 1);
}

function isSharp({ distance }: Ranked): boolean {
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
  return isInside || (moved !== null && distance(withoutThousands(moved * factor)) < distance(moved));
}
