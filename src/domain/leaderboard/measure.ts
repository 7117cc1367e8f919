import type { QuarterEnd } from '../ids.ts';
import { roundHalfEvenDiv } from '../money.ts';
import { quarterAfter } from '../quarter.ts';
import { meanOf, medianOf, pctOf, WHOLE } from '../ratio.ts';
import { faultsOf, REPORT_FAULTS } from './portfolio.ts';
import type { CountedQuarter, FundSeries, LaggedQuarter } from './quarter-series.ts';
import {
  DOWNSIDE_FLOOR,
  LAG_QUARTERS,
  LUCK_LEVEL_PCT,
  MAX_POSITIONS,
  MIN_POSITIONS,
  MIN_PRICED_WEIGHT,
  MIN_QUARTERS,
  SHRINK_QUARTERS,
} from './thresholds.ts';

const SCORE_DECIMALS = 1_000_000n;
const STATISTIC_DECIMALS = 10_000;

export type Measures = NonNullable<ReturnType<typeof measuresOf>>;

/**
 * Null when no quarter is counted. Percentages are per quarter, 4 decimals; nothing is annualised.
 * The two bounds and the priced weight, a median, are over all quarters, counted or not. The t statistic is of the mean excess
 * against zero; null when every excess is the same.
 */
export function measuresOf(lagged: readonly LaggedQuarter[]) {
  const counted = lagged.flatMap((quarter) => quarter.counted ?? []);
  const excesses = counted.map(({ excess }) => excess);
  const mean = meanOf(excesses);
  const carried = meanOf(lagged.map((quarter) => quarter.carried));
  const lost = meanOf(lagged.map((quarter) => quarter.lost));
  if (mean === null || carried === null || lost === null) return null;
  const wins = excesses.filter((excess) => excess > 0n).length;
  const downside = downsideDeviation(excesses);
  return {
    score: scoreOf(mean, excesses.length, downside),
    quarters: counted.length,
    excessPct: pctOf(mean),
    carriedExcessPct: pctOf(carried),
    lostExcessPct: pctOf(lost),
    winRatePct: pctOf((BigInt(wins) * WHOLE) / BigInt(counted.length)),
    downsideDeviationPct: pctOf(downside),
    maxDrawdownPct: pctOf(maxDrawdown(counted)),
    pricedWeightPct: pctOf(medianOf(lagged.map(({ pricedWeight }) => pricedWeight)) ?? 0n),
    tStat: tStatistic(excesses, mean),
  };
}

/**
 * `mean × n/(n+8) ÷ max(downside, floor)` (rule 9.3), 6 decimals half-even. A division by more risk would lift
 * a negative mean, so that one is multiplied by the risk, in units of the floor.
 */
export function scoreOf(mean: bigint, quarters: number, downside: bigint): number {
  const n = BigInt(quarters);
  const risk = downside > DOWNSIDE_FLOOR ? downside : DOWNSIDE_FLOOR;
  const [weight, base] = mean < 0n ? [risk, DOWNSIDE_FLOOR ** 2n] : [1n, risk];
  const scaled = roundHalfEvenDiv(mean * n * weight * SCORE_DECIMALS, (n + SHRINK_QUARTERS) * base);
  return Number(scaled) / Number(SCORE_DECIMALS);
}

/** Root of the mean square of the negative excesses, over all quarters. */
export function downsideDeviation(excesses: readonly bigint[]): bigint {
  const squares = excesses.map((excess) => (excess < 0n ? excess * excess : 0n));
  return rootOf(meanOf(squares) ?? 0n);
}

/** The largest fall of the compounded copied portfolio from an earlier quarter end. */
function maxDrawdown(counted: readonly CountedQuarter[]): bigint {
  let level = WHOLE;
  let peak = WHOLE;
  let worst = 0n;
  for (const { gained } of counted) {
    level = roundHalfEvenDiv(level * (WHOLE + gained), WHOLE);
    if (level > peak) peak = level;
    const fall = WHOLE - roundHalfEvenDiv(level * WHOLE, peak);
    if (fall > worst) worst = fall;
  }
  return worst;
}

function tStatistic(excesses: readonly bigint[], mean: bigint): number | null {
  if (excesses.length < 2) return null;
  const squares = excesses.reduce((sum, excess) => sum + (excess - mean) ** 2n, 0n);
  const deviation = rootOf(roundHalfEvenDiv(squares, BigInt(excesses.length - 1)));
  if (deviation === 0n) return null;
  const t = (Number(mean) * Math.sqrt(excesses.length)) / Number(deviation);
  return Math.round(t * STATISTIC_DECIMALS) / STATISTIC_DECIMALS;
}

/** IEEE 754 rounds a square root correctly, so it is the same on every machine. */
function rootOf(square: bigint): bigint {
  return BigInt(Math.round(Math.sqrt(Number(square))));
}

const PCT_DECIMALS = 10_000;

/** Bisection ends below the last decimal. */
const HALVINGS = 60;

const MAX_T = 1_000_000;

/** What the t statistic of a ranked manager says, given how many are ranked with it (rule 9.3). */
export type Luck = ReturnType<ReturnType<typeof luckAmong>>;

/**
 * How far luck explains t statistics when so many managers are ranked: the more of them, the higher the
 * best one gets by chance. Managers without skill have Student's t, each by itself. If they move
 * together, luck explains less than this says.
 */
export function luckAmong(managers: number) {
  const bests = new Map<number, number | null>();
  return (tStat: number | null, quarters: number) => {
    const best = bests.get(quarters) ?? bestByLuck(managers, quarters);
    bests.set(quarters, best);
    const probability = tStat === null ? null : anyOf(managers, tailOf(tStat, quarters - 1));
    return {
      luckTStat: best,
      /** In percent: that the best of as many managers without skill has this t statistic or a higher one. */
      luckProbabilityPct: probability === null ? null : rounded(100 * probability),
      isBeyondLuck: probability !== null && 100 * probability < LUCK_LEVEL_PCT,
    };
  };
}

/**
 * The t statistic that the best of so many managers without skill exceeds in half of all cases; null
 * without a manager, or with one quarter.
 */
export function bestByLuck(managers: number, quarters: number): number | null {
  if (managers === 0 || quarters < 2) return null;
  let [low, high] = [0, MAX_T];
  for (let at = 0; at < HALVINGS; at += 1) {
    const middle = (low + high) / 2;
    if (anyOf(managers, tailOf(middle, quarters - 1)) > 0.5) low = middle;
    else high = middle;
  }
  return rounded(low);
}

/** That at least one of n independent events of this probability happens. Precise for small ones. */
function anyOf(n: number, probability: number): number {
  return -Math.expm1(n * Math.log1p(-probability));
}

/**
 * The probability that Student's t is at least `t`, by the finite sums for a whole number of degrees of
 * freedom (Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.3 and 26.7.4).
 */
export function tailOf(t: number, degrees: number): number {
  const cosineSquared = degrees / (degrees + t * t);
  const sine = t / Math.sqrt(degrees + t * t);
  const isOdd = degrees % 2 === 1;
  let term = isOdd ? Math.sqrt(cosineSquared) : 1;
  let sum = degrees === 1 ? 0 : term;
  for (let at = isOdd ? 3 : 2; at < degrees; at += 2) {
    term *= (cosineSquared * (at - 1)) / at;
    sum += term;
  }
  const angle = Math.atan(t / Math.sqrt(degrees));
  const within = isOdd ? (2 / Math.PI) * (angle + sine * sum) : sine * sum;
  return Math.min(1, Math.max(0, (1 - within) / 2));
}

function rounded(value: number): number {
  return Math.round(value * PCT_DECIMALS) / PCT_DECIMALS;
}

const leftOut = (because: string): string =>
  `too few quarters count, and at least one of the others is left out because its report ${because}`;

/** Why a manager is not ranked: the closed list, with what each means (rule 9.3). */
export const INELIGIBLE = {
  too_few_quarters: `fewer than ${MIN_QUARTERS} quarters of the window count`,
  not_current: 'no readable report with holdings for the latest quarter whose deadline has passed',
  too_few_positions: leftOut(`has fewer than ${MIN_POSITIONS} equity positions`),
  too_many_positions: leftOut(`has more than ${MAX_POSITIONS} equity positions`),
  not_concentrated: leftOut('has less than 20 percent of its equity in its ten largest positions'),
  low_priced_weight: 'the median share of the copied weights with a price at both ends is below 85 percent',
  mostly_options: leftOut('lists more option notional than anything else'),
  scale_unverified: leftOut('has an uncertain scale of values, or share counts that repeat its values'),
} as const;

export type IneligibleReason = keyof typeof INELIGIBLE;

export const INELIGIBLE_REASONS = Object.keys(INELIGIBLE) as IneligibleReason[];

/**
 * All that apply, in the order of the list; empty for a manager that is ranked. A fault of a report counts
 * only when too few quarters are left. `latest` is the last quarter due.
 */
export function ineligibilityOf(
  fund: Pick<FundSeries, 'portfolios' | 'lagged'>,
  latest: QuarterEnd,
): IneligibleReason[] {
  const { portfolios, lagged } = fund;
  const pricedWeight = medianOf(lagged.map((quarter) => quarter.pricedWeight)) ?? 0n;
  const isShort = lagged.filter(({ counted }) => counted !== null).length < MIN_QUARTERS;
  const faults = new Set<IneligibleReason>(isShort ? heldReports(fund, latest).flatMap(faultsOf) : []);
  const holds: Partial<Record<IneligibleReason, boolean>> = {
    too_few_quarters: isShort,
    not_current: portfolios.at(-1)?.quarterEnd !== latest,
    low_priced_weight: lagged.length > 0 && pricedWeight < MIN_PRICED_WEIGHT,
    ...Object.fromEntries(REPORT_FAULTS.map((fault) => [fault, faults.has(fault)])),
  };
  return INELIGIBLE_REASONS.filter((reason) => holds[reason]);
}

/** The reports whose portfolios a copier held until `latest` at the latest. */
export function heldReports({ portfolios }: Pick<FundSeries, 'portfolios'>, latest: QuarterEnd) {
  const last = quarterAfter(latest, -LAG_QUARTERS);
  return portfolios.filter(({ quarterEnd }) => quarterEnd <= last);
}
