import { addDays } from '../calendar.ts';
import type { Cusip, QuarterEnd } from '../ids.ts';
import type { PriceDay } from '../market/market.ts';
import { type Jump, type PricePath, pricePath } from '../market/price-path.ts';
import { BOUNDARY_DAYS } from '../market/thresholds.ts';
import { previousQuarterEnd } from '../quarter.ts';
import type { SplitFactor } from '../report/report.ts';
import type { HoldersThroughout } from './holder-move.ts';
import { medianOf } from './price.ts';
import {
  isMovedBy,
  isNearer,
  isSmallSplit,
  isWithin,
  numberOf,
  SPLIT_FACTORS,
  withoutThousands,
} from './split.ts';
import {
  DOUBLED_PRICE_TOLERANCE,
  EXACT_PRICE_TOLERANCE,
  JUMP_TOLERANCE,
  LEAST_DIVIDEND,
  LEAST_DOUBLED_PRICE,
  LEAST_JUMP_PRICE,
  LEAST_PRICE,
  MIN_DIVIDEND_VOTES,
  SMALL_SPLIT_TOLERANCE,
  SPLIT_PRICE_TOLERANCE,
  STILL_PART,
  TRADED_PART,
} from './thresholds.ts';
import type { SplitVote, SuspectedSplit } from './verdict.ts';

/** A factor that holders' counts look like, and how far the price beside the market may be from its inverse. */
type Candidate = { readonly factor: SplitFactor; readonly votes: number; readonly tolerance: number };

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
  const prices = pricesOf(holders);
  const counts = countsOf(holders);
  const path = pricePath(days, quarterEnd, inScaleOf(days, prices));
  const decided = decidedBy(path, { cusip, quarterEnd, counts, moved: prices.moved });
  const isOpen = decided === null && !path.isQuiet;
  return { ...none, moved: prices.moved, decided, candidates: isOpen ? candidatesOf(counts, prices) : [] };
}

/**
 * What the case says beside a market that moved by `market`: companies split what rose, and what falls by half
 * in a falling market is no split.
 */
export function splitVerdict(
  { cusip, compared, moved, decided, candidates }: SplitCase,
  market: number,
): SplitVote | SuspectedSplit | null {
  if (decided !== null) return decided;
  const fits = candidates.filter(
    ({ factor, tolerance }) => moved !== null && isWithin((numberOf(factor) * moved) / market, tolerance),
  );
  const best = fits.reduce<Candidate | null>((a, b) => (a !== null && a.votes >= b.votes ? a : b), null);
  if (best === null) return null;
  return { kind: 'split_suspected', cusip, votes: best.votes, compared, factor: best.factor };
}

type Prices = {
  readonly moved: number | null;
  readonly before: number | null;
  readonly after: number | null;
};

/** In dollars. The scale of a report may be wrong by a thousand, in which no price moves. */
function pricesOf({ priceBefore, priceAfter }: HoldersThroughout): Prices {
  const both = [...priceBefore.keys()].filter(
    (at) => (priceBefore[at] as number) * (priceAfter[at] as number) > 0,
  );
  if (both.length === 0) return { moved: null, before: null, after: null };
  const medianBy = (valueAt: (at: number) => number) => medianOf(Float64Array.from(both, valueAt).sort());
  const moved = medianBy((at) => withoutThousands((priceAfter[at] as number) / (priceBefore[at] as number)));
  const [before, after] = [priceBefore, priceAfter].map((cents) =>
    medianBy((at) => (cents[at] as number) / 100),
  );
  // Of the two scales the one in dollars.
  const dollars = Math.max(after as number, (before as number) * moved);
  return { moved, before: dollars / moved, after: dollars };
}

/** The reports' prices, which may be a thousand times wrong, beside those of the files. */
function inScaleOf(days: readonly PriceDay[], { before, after }: Prices) {
  const scaled = (price: number | null, day: PriceDay | undefined) =>
    price === null || day === undefined ? price : withoutThousands(price / day.price) * day.price;
  return { before: scaled(before, days[0]), after: scaled(after, days.at(-1)) };
}

type Counts = ReturnType<typeof countsOf>;

function countsOf({ prior, amount }: HoldersThroughout) {
  const ratios = Float64Array.from(amount, (now, at) => now / (prior[at] as number));
  const count = (isSo: (at: number) => boolean): number =>
    ratios.reduce((sum, _, at) => sum + Number(isSo(at)), 0);
  const ratioAt = (at: number) => ratios[at] as number;
  const isExactAt = (at: number, factor: number) =>
    isMovedBy({ prior: prior[at] as number, amount: amount[at] as number }, factor);
  return {
    holders: ratios.length,
    still: count((at) => isWithin(ratioAt(at), STILL_PART)),
    unchanged: count((at) => prior[at] === amount[at]),
    near: (factor: number) =>
      count((at) =>
        isWithin(ratioAt(at) / factor, isSmallSplit(factor) ? SMALL_SPLIT_TOLERANCE : TRADED_PART),
      ),
    exact: (factor: number) => count((at) => isExactAt(at, factor)),
    /** Who buys in round lots doubles exactly, too. */
    tellingly: (factor: number) =>
      count(
        (at) =>
          isExactAt(at, factor) && ((prior[at] as number) % 100 !== 0 || (amount[at] as number) % 100 !== 0),
      ),
    ratios,
  };
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
  const kind = best.number < 2 ? smallOrReverse(ranked, counts) : forward(jump, ranked, counts);
  if (kind === null) return null;
  const votes = Math.max(...ranked.map((one) => one.votes));
  const { last, first } = jump;
  return { kind, cusip, votes, compared: counts.holders, factor: best.factor, prices: { last, first } };
}

type Ranked = ReturnType<typeof rankedFactors>;

/** Prices of companies that need a reverse split move as far by themselves, and so do all by a small split. */
function smallOrReverse([best, next]: Ranked, counts: Counts): 'split' | null {
  if (best === undefined || best.votes <= counts.still || best.exact <= (next?.exact ?? 0)) return null;
  return best.exact >= (isSmallSplit(best.number) ? 2 : 1) ? 'split' : null;
}

/** Proven where only one factor is near the jump, or more counts are exactly one's; companies split no cheap shares. */
function forward({ first }: Jump, ranked: Ranked, counts: Counts): 'split' | 'split_suspected' | null {
  const [best, next] = ranked;
  if (best === undefined) return null;
  const isCheap = first.price < LEAST_JUMP_PRICE;
  if (ranked.every(({ votes }) => votes <= counts.still)) {
    const isLike = counts.still === 0 && !isCheap && best.distance <= Math.log(1 + JUMP_TOLERANCE / 2);
    return isLike ? 'split_suspected' : null;
  }
  const isCertain = next === undefined || best.exact > next.exact;
  if (!isCertain) return 'split_suspected';
  if (isCheap && best.exact < 2) return best.exact === 0 ? null : 'split_suspected';
  return 'split';
}

/** The factors that the jump allows: that of the most exact counts first, else the nearest. */
function rankedFactors(jump: Jump, counts: Counts) {
  return SPLIT_FACTORS.map((factor) => ({ factor, number: numberOf(factor) }))
    .filter(({ number }) => isWithin(jump.ratio / number, JUMP_TOLERANCE))
    .map((one) => ({
      ...one,
      votes: counts.near(one.number),
      exact: one.number < 2 ? counts.tellingly(one.number) : counts.exact(one.number),
      distance: Math.abs(Math.log(jump.ratio / one.number)),
    }))
    .sort((a, b) => b.exact - a.exact || a.distance - b.distance);
}

/** Around a quarter's end the holders' own prices say on which side of it their counts are. */
function isOfQuarter(
  { last, first }: Jump,
  { quarterEnd, moved, factor }: Pick<Judged, 'quarterEnd' | 'moved'> & { readonly factor: number },
): boolean {
  const isInside =
    last.day > addDays(previousQuarterEnd(quarterEnd), BOUNDARY_DAYS) && first.day <= quarterEnd;
  return isInside || (moved !== null && isNearer(moved * factor, moved));
}

/** Factors that more counts are near than stood still, and at which such a price is not what falls by itself. */
function candidatesOf(counts: Counts, { after }: Prices): Candidate[] {
  if (after === null) return [];
  const dividend = dividendOf(counts);
  return [
    ...(dividend === null ? [] : [dividend]),
    ...SPLIT_FACTORS.flatMap((factor): Candidate[] => {
      const number = numberOf(factor);
      const tolerance = toleranceAt(number, after);
      const near = tolerance === null ? 0 : counts.near(number);
      const exact = isSmallSplit(number) ? 0 : counts.tellingly(number);
      if (near > counts.still && tolerance !== null && near >= exact)
        return [{ factor, votes: near, tolerance }];
      return exact > counts.still && (number < 1 || after >= LEAST_JUMP_PRICE / 2)
        ? [{ factor, votes: exact, tolerance: EXACT_PRICE_TOLERANCE }]
        : [];
    }),
  ];
}

/** Null where counts near the factor say nothing. */
function toleranceAt(factor: number, price: number): number | null {
  if (factor === 1.5 || factor === 2) return price >= LEAST_DOUBLED_PRICE ? DOUBLED_PRICE_TOLERANCE : null;
  return factor > 2 && price >= LEAST_PRICE ? SPLIT_PRICE_TOLERANCE : null;
}

/** A stock dividend moves no price that one could tell: only many exact counts of one whole percent show it. */
function dividendOf({ ratios, unchanged }: Counts): Candidate | null {
  const votes = new Map<number, number>();
  for (const ratio of ratios) {
    const percent = Math.round(ratio * 100);
    if (percent < LEAST_DIVIDEND || percent >= 150 || Math.abs(ratio * 100 - percent) > 0.01) continue;
    votes.set(percent, (votes.get(percent) ?? 0) + 1);
  }
  const [most] = [...votes].sort(([, a], [, b]) => b - a);
  if (most === undefined || most[1] < MIN_DIVIDEND_VOTES || most[1] < unchanged * MIN_DIVIDEND_VOTES)
    return null;
  return {
    factor: { numerator: BigInt(most[0]), denominator: 100n },
    votes: most[1],
    tolerance: EXACT_PRICE_TOLERANCE,
  };
}
