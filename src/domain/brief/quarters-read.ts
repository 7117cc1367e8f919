import { quartersFollowed } from '../change/in-force.ts';
import type { QuarterEnd } from '../ids.ts';
import { previousQuarterEnd } from '../quarter.ts';

/**
 * Whether briefs read reports of the quarter while `latest` is the latest one: they count managers by that one,
 * and late ones by the one before (rule 7.1). Of an older report a brief says that it is its manager's last one.
 */
export function readsReports(latest: QuarterEnd | null, quarterEnd: QuarterEnd): boolean {
  return latest === null || quarterEnd >= previousQuarterEnd(latest);
}

/** Whether briefs read what filers of the quarter prove: they follow changes of CUSIP to the reports that they read. */
export function readsCorporateActions(latest: QuarterEnd | null, quarterEnd: QuarterEnd): boolean {
  if (latest === null) return true;
  const oldest = previousQuarterEnd(latest);
  return quarterEnd > oldest || quartersFollowed(oldest).includes(quarterEnd);
}
