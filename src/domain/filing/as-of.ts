import { newYorkDate } from '../calendar.ts';
import type { IsoDate } from '../ids.ts';
import type { FilingHeader } from './filing.ts';

/** The as-of date for every rule that needs one: the setting, else the civil date in New York. */
export function asOfDate(setting: IsoDate | null, nowMs: number): IsoDate {
  return setting ?? newYorkDate(nowMs);
}

/**
 * A filing exists on an as-of date when its FILED AS OF DATE is not after it (rule 1.3). The acceptance time
 * does not decide: after 5:30 pm the filing has the date of the next business day.
 */
export function isVisible(header: Pick<FilingHeader, 'filedDate'>, asOf: IsoDate): boolean {
  return header.filedDate <= asOf;
}
