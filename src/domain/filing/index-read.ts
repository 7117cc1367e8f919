import { isBusinessDay } from '../calendar.ts';
import type { IsoDate } from '../ids.ts';
import { medianOf } from '../ratio.ts';

/** Days of the same weekday that a median needs, and the most that it uses: a quarter of a year. */
const MIN_DAYS = 3;
export const MAX_DAYS = 13;
/** Below this median the counts of a weekday scatter too much to say anything. */
const MIN_MEDIAN = 50n;
const MAX_DEVIATION_PCT = 60n;

/** Why the read of a daily index is not believed. */
export type IndexDoubt = 'empty' | 'too_few' | 'too_many';

export type IndexRead = {
  readonly date: IsoDate;
  /** Rows of all forms, and filings of carried forms. */
  readonly rows: number;
  readonly carried: number;
};

/**
 * Null for a plausible read (rule 10.5). A cut index can end after a row, and EDGAR publishes an index
 * while it is still written; neither is visible in the file itself.
 * @param sameWeekday carried filings of earlier days of the same weekday, at most {@link MAX_DAYS}
 */
export function doubtOfIndex(read: IndexRead, sameWeekday: readonly number[]): IndexDoubt | null {
  if (read.rows === 0) return isBusinessDay(read.date) ? 'empty' : null;
  const median = sameWeekday.length < MIN_DAYS ? null : medianOf(sameWeekday.map(BigInt));
  if (median === null || median < MIN_MEDIAN) return null;
  const percent = (BigInt(read.carried) * 100n) / median;
  if (percent < 100n - MAX_DEVIATION_PCT) return 'too_few';
  return percent > 100n + MAX_DEVIATION_PCT ? 'too_many' : null;
}

/**
 * Whether an equal second read settles the doubt. Too many filings lose nothing, and the deadline of
 * Form 13F brings them each quarter. Too few, or none, are believed once the day is final.
 */
export function isConfirmed(doubt: IndexDoubt, isFinal: boolean): boolean {
  return doubt === 'too_many' || isFinal;
}
