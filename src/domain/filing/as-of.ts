import { newYorkDate } from '../calendar.ts';
import type { IsoDate } from '../ids.ts';
import type { FilingHeader } from './filing.ts';

/** "Today" for every rule that depends on it: the setting, else the civil date in New York. */
export function asOfDate(setting: IsoDate | null, nowMs: number): IsoDate {
  return setting ?? newYorkDate(nowMs);
}

/**
 * A filing exists for an as-of date when its FILED AS OF DATE is not after it (rule 1.3).
 * The acceptance time does not decide: after 5:30 pm it belongs to the next business day's date.
 */
export function isVisible(header: Pick<FilingHeader, 'filedDate'>, asOf: IsoDate): boolean {
  return header.filedDate <= asOf;
}
