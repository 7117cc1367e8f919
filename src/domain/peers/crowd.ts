import { CROWD_PCT, CROWD_SPREAD } from './thresholds.ts';

/** Whether most of the ratios are near the factor, and at least so many (rule 4.9). */
export function isCrowdAt(ratios: Float64Array, factor: number, least = 1): boolean {
  const near = countNear(ratios, factor);
  return near >= least && near * 100 >= ratios.length * CROWD_PCT;
}

/** How many ratios are within the part of their shares that holders trade beside a corporate action. */
export function countNear(ratios: Float64Array, factor: number): number {
  return ratios.reduce((count, ratio) => {
    const isNear = ratio >= factor / (1 + CROWD_SPREAD) && ratio <= factor * (1 + CROWD_SPREAD);
    return count + Number(isNear);
  }, 0);
}
