import { countBy } from '../group.ts';
import type { SplitFactor } from '../report/report.ts';
import { distance, isSmallSplit, medianOf, NUMBERED } from './split.ts';
import type { Counts } from './split-counts.ts';
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
  SPLIT_PRICE_TOLERANCE,
  TRADED_PRICE_TOLERANCE,
} from './thresholds.ts';

/** A factor that holders' counts look like, and how far the price beside the market may be from its inverse. */
export type Candidate = {
  readonly factor: SplitFactor;
  readonly votes: number;
  readonly exact: number;
  /** How far the median holder's count is from the factor's. */
  readonly apart: number;
  readonly tolerance: number;
};

/** Factors that more counts are near than stood still, and at which such a price is not what falls by itself. */
export function candidatesOf(counts: Counts, { after }: { readonly after: number | null }): Candidate[] {
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
  return tolerance !== null && near > counts.still ? [{ factor, votes: near, exact, apart, tolerance }] : [];
}

/** A reverse split often comes with a fall: the price only has to be nearer to the inverse than to no move. */
function exactTolerance(factor: number): number {
  if (isSmallSplit(factor)) return SPLIT_PRICE_TOLERANCE;
  return Math.max(EXACT_PRICE_TOLERANCE, Math.sqrt(1 / factor) - 1);
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
export function dividendsOf({ ratios, holders, unchanged }: Counts): Candidate[] {
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
