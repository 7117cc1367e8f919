import type { QuarterEnd } from '../ids.ts';
import { previousQuarterEnd, quarterAfter, quartersThrough } from '../quarter.ts';
import { QUARTERS_IN_FORCE } from './thresholds.ts';

/** The quarters whose changes of CUSIP are followed to read reports of this one, the latest first. */
export function quartersFollowed(quarterEnd: QuarterEnd): QuarterEnd[] {
  return quartersThrough(quarterEnd, QUARTERS_IN_FORCE).reverse();
}

/** The earlier quarters whose changes of CUSIP still count in this one, the latest first. */
export function quartersInForce(quarterEnd: QuarterEnd): QuarterEnd[] {
  return quartersFollowed(previousQuarterEnd(quarterEnd));
}

/** The later quarters in which a change of CUSIP in this one still counts, the earliest first. */
export function quartersAffected(quarterEnd: QuarterEnd): QuarterEnd[] {
  return quartersThrough(quarterAfter(quarterEnd, QUARTERS_IN_FORCE), QUARTERS_IN_FORCE);
}
