import type { QuarterEnd } from '../ids.ts';
import { previousQuarterEnd, quarterAfter, quartersThrough } from '../quarter.ts';

/** A change of CUSIP counts for this many more quarters: many holders report it late, some by a year. */
const QUARTERS_IN_FORCE = 4;

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
