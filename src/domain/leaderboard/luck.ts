import { LUCK_LEVEL_PCT } from './thresholds.ts';

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
