import type { SplitFactor } from '../report/report.ts';
import { medianOf } from './price.ts';
import { numberOf } from './split.ts';
import { CROWD_PCT, TRADED_PART } from './thresholds.ts';

/** How many holders moved near one factor. */
type Crowd = { readonly factor: SplitFactor; readonly votes: number };

/**
 * The factor that a crowd of holders moved by (rule 4.5): the largest crowd within a quarter of one
 * candidate, if most holders belong to it. The candidate nearest to its median ratio names the factor, so
 * no holder has to have stood still. Null without such a crowd.
 * @param ratios shares now for each one before, in ascending order
 */
export function crowdOf(ratios: Float64Array, candidates: readonly SplitFactor[]): Crowd | null {
  let crowd = ratios.subarray(0, 0);
  for (const candidate of candidates) {
    const near = ratiosNear(ratios, numberOf(candidate));
    if (near.length > crowd.length) crowd = near;
  }
  if (crowd.length === 0 || crowd.length * 100 < ratios.length * CROWD_PCT) return null;
  return { factor: nearestTo(medianOf(crowd), candidates), votes: crowd.length };
}

/** The candidate nearest to the ratio, in logarithms. */
export function nearestTo(ratio: number, candidates: readonly SplitFactor[]): SplitFactor {
  const distanceTo = (candidate: SplitFactor) => Math.abs(Math.log(ratio / numberOf(candidate)));
  return candidates.reduce((best, next) => (distanceTo(next) < distanceTo(best) ? next : best));
}

/** Whether most of the ratios are near the factor, and at least so many. In ascending order. */
export function isCrowdAt(ratios: Float64Array, factor: number, least = 1): boolean {
  const near = ratiosNear(ratios, factor).length;
  return near >= least && near * 100 >= ratios.length * CROWD_PCT;
}

/** The ratios within the part of their shares that holders trade in the quarter of a split. */
export function ratiosNear(ratios: Float64Array, factor: number): Float64Array {
  const [least, most] = [factor / (1 + TRADED_PART), factor * (1 + TRADED_PART)];
  return ratios.subarray(
    firstWhere(ratios, (ratio) => ratio >= least),
    firstWhere(ratios, (ratio) => ratio > most),
  );
}

/** The first place from which on it is so, in a list where it is so to the end. */
function firstWhere(sorted: Float64Array, isSo: (value: number) => boolean): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isSo(sorted[middle] as number)) high = middle;
    else low = middle + 1;
  }
  return low;
}
