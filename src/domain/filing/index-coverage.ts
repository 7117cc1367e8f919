import { addDays, type FilingWindow, isBusinessDay, isNextToHoliday } from '../calendar.ts';
import { compare } from '../compare.ts';
import { type IsoDate, type QuarterEnd, requireIsoDate } from '../ids.ts';
import { quarterEndOf } from '../quarter.ts';
import { medianOf } from '../ratio.ts';

/** Filings of so many days are behind a brief: two quarters to compare and the insider window. */
export const BRIEF_DAYS = 320;

type Known = {
  readonly asOf: IsoDate;
  /** The first day that the last backfill asked for. */
  readonly from: IsoDate | null;
  /** The watermark that was published last. */
  readonly through: IsoDate | null;
};

/**
 * The day around which coverage is reckoned: the published watermark, so that it never goes back, unless a
 * later backfill leaves a gap behind. No day that no brief rests on: older days, which are read after the new
 * ones, move nothing, nor does what lies after the as-of date (rule 10.5).
 */
export function coverageAnchor({ asOf, from, through }: Known): IsoDate {
  const since = addDays(asOf, -BRIEF_DAYS);
  const anchors = [from, through].flatMap((day) => (day !== null && day > since && day <= asOf ? [day] : []));
  return anchors.sort(compare).at(-1) ?? since;
}

/**
 * The unbroken run of reconciled index days around the first one from `anchor` on, or around the last one where
 * none is so late. It ends before the first business day that could not be read (rule 10.5). A gap before the
 * anchor does not count. Weekends and holidays have no index.
 *
 * @param days in ascending order
 */
export function indexCoverage(
  days: readonly IsoDate[],
  anchor: IsoDate,
): { readonly start: IsoDate | null; readonly through: IsoDate | null } {
  const found = days.findIndex((day) => day >= anchor);
  const at = found === -1 ? days.length - 1 : found;
  let first = at;
  while (isJoined(days[first - 1], days[first])) first -= 1;
  let last = at;
  while (isJoined(days[last], days[last + 1])) last += 1;
  return { start: days[first] ?? null, through: days[last] ?? null };
}

/**
 * Business days that were not read although a later one was, from `from` on: what the watermark waits for.
 * @param days in ascending order
 */
export function indexGaps(days: readonly IsoDate[], from: IsoDate | null = null): IsoDate[] {
  const known = days.filter((day) => from === null || day >= from);
  return known.flatMap((day, n) => {
    const missing: IsoDate[] = [];
    const before = known[n - 1];
    if (before === undefined) return missing;
    for (let gap = addDays(before, 1); gap < day; gap = addDays(gap, 1)) {
      if (isBusinessDay(gap)) missing.push(gap);
    }
    return missing;
  });
}

function isJoined(earlier: IsoDate | undefined, later: IsoDate | undefined): boolean {
  if (earlier === undefined || later === undefined) return false;
  let day = addDays(earlier, 1);
  while (day < later && !isBusinessDay(day)) day = addDays(day, 1);
  return day >= later;
}

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
type IndexDoubt = 'empty' | 'too_few' | 'too_many';

type IndexRead = {
  readonly date: IsoDate;
  /** Rows of all forms, and filings of carried forms. */
  readonly rows: number;
  readonly carried: number;
};

/** What is known when the same bytes are read again. */
type RepeatedRead = {
  /** The day is so old that its index appears no more. */
  readonly isFinal: boolean;
  /** The index is of a local folder, which nobody corrects. */
  readonly isLocal: boolean;
  /** How long these bytes have been doubted. */
  readonly doubtedMs: number;
};

/** As names of data sets have them. */
export const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

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

/**
 * Whether a read of the same bytes settles the doubt. Too many filings lose nothing, and the deadline of
 * Form 13F brings them each quarter. Too few, or none, are believed once the day is final and the index
 * has stood for half a day, however often it was read.
 */
export function isConfirmed(doubt: IndexDoubt, { isFinal, isLocal, doubtedMs }: RepeatedRead): boolean {
  if (doubt === 'too_many') return true;
  return isFinal && (isLocal || doubtedMs >= DOUBT_HOURS * HOUR_MS);
}

/** The days of filing that a data set holds. */
export function daysOfDataSet(name: string): { readonly first: IsoDate; readonly last: IsoDate } {
  const [, year, quarter] = /^(\d{4})q([1-4])_/.exec(name) ?? [];
  if (year !== undefined) {
    const last = Number(quarter) * 3;
    return {
      first: dayOf(year, last - 2, 1),
      last: quarterEndOf(Number(year), Number(quarter) as 1 | 2 | 3 | 4),
    };
  }
  const [, from = '', fromYear = '', day = '', to = '', toYear = ''] =
    /^01([a-z]{3})(\d{4})-(\d{2})([a-z]{3})(\d{4})_/.exec(name) ?? [];
  return {
    first: dayOf(fromYear, MONTHS.indexOf(from) + 1, 1),
    last: dayOf(toYear, MONTHS.indexOf(to) + 1, Number(day)),
  };
}

function dayOf(year: string, month: number, day: number): IsoDate {
  const two = (n: number): string => String(n).padStart(2, '0');
  return requireIsoDate(`${year}-${two(month)}-${two(day)}`);
}

/** The state of the corpus as a whole, the same for every ticker of one as-of date. */
export type CorpusState = {
  /** Text for `coverage.thirteen_f.corpus`, without host or path. */
  readonly corpus: string;
  /** False when the source states that it has only a selection of EDGAR's filings. */
  readonly sourceComplete: boolean;
  readonly latestReportedQuarterEnd: QuarterEnd | null;
  readonly filingWindow: FilingWindow;
  /** First and last day of the daily indexes reconciled without a gap; null before the first. */
  readonly coverageStart: IsoDate | null;
  readonly indexedThrough: IsoDate | null;
  /** First and last day of the quarters compared for which no daily prices are stored; absent where none is missing. */
  readonly pricesMissing?: { readonly from: IsoDate; readonly through: IsoDate };
  /**
   * Filings that could not be parsed and are excluded from all figures, without those that an operator ignores.
   * `digest`: of all of them, by which a reader knows that they are others; absent where there are none.
   */
  readonly quarantined: { readonly thirteenF: number; readonly form4: number; readonly digest?: string };
};
