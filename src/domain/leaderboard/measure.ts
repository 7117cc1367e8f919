import { roundHalfEvenDiv } from '../money.ts';
import { meanOf, medianOf, pctOf, WHOLE } from '../ratio.ts';
import type { CountedQuarter } from './quarter-series.ts';
import type { LaggedQuarter } from './series.ts';
import { DOWNSIDE_FLOOR, SHRINK_QUARTERS } from './thresholds.ts';

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
