import { isBusinessDay, isNextToHoliday } from '../calendar.ts';
import type { IsoDate } from '../ids.ts';
import { medianOf } from '../ratio.ts';

/** Days of the same weekday that a median needs, and the most that it uses: a quarter of a year. */
const MIN_DAYS = 3;
export const MAX_DAYS = 13;
/** Below this median the counts of a weekday scatter too much to say anything. */
const MIN_MEDIAN = 50n;
const MAX_DEVIATION_PCT = 60n;
/** The business days around a holiday have few filings; the day after Thanksgiving about a quarter. */
const MAX_SHORTFALL_NEXT_TO_HOLIDAY_PCT = 90n;
/** EDGAR writes and corrects an index within some hours. */
const DOUBT_HOURS = 12;
const HOUR_MS = 3_600_000;

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
 * @param sameWeekday carried filings of the nearest days of the same weekday, at most {@link MAX_DAYS}
 */
export function doubtOfIndex(read: IndexRead, sameWeekday: readonly number[]): IndexDoubt | null {
  if (read.rows === 0) return isBusinessDay(read.date) ? 'empty' : null;
  const median = sameWeekday.length < MIN_DAYS ? null : medianOf(sameWeekday.map(BigInt));
  if (median === null || median < MIN_MEDIAN) return null;
  const percent = (BigInt(read.carried) * 100n) / median;
  const shortfall = isNextToHoliday(read.date) ? MAX_SHORTFALL_NEXT_TO_HOLIDAY_PCT : MAX_DEVIATION_PCT;
  if (percent < 100n - shortfall) return 'too_few';
  return percent > 100n + MAX_DEVIATION_PCT ? 'too_many' : null;
}

/** What is known when the same bytes are read again. */
export type RepeatedRead = {
  /** The day is so old that its index appears no more. */
  readonly isFinal: boolean;
  /** The index is of a local folder, which nobody corrects. */
  readonly isLocal: boolean;
  /** How long these bytes have been doubted. */
  readonly doubtedMs: number;
};

/**
 * Whether a read of the same bytes settles the doubt. Too many filings lose nothing, and the deadline of
 * Form 13F brings them each quarter. Too few, or none, are believed once the day is final and the index
 * has stood for half a day, however often it was read.
 */
export function isConfirmed(doubt: IndexDoubt, { isFinal, isLocal, doubtedMs }: RepeatedRead): boolean {
  if (doubt === 'too_many') return true;
  return isFinal && (isLocal || doubtedMs >= DOUBT_HOURS * HOUR_MS);
}
