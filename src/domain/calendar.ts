import { allForYear } from '@18f/us-federal-holidays';
import type { FilingWindow } from './brief-input.ts';
import type { IsoDate, QuarterEnd } from './ids.ts';

/** Rule 13f-1: a report is due 45 days after the end of the quarter. */
export const FILING_DEADLINE_DAYS = 45;

const DAY_MS = 86_400_000;

/**
 * Days on which federal offices were closed by executive order, beside the statutory holidays.
 * Each is dated; a day is added when the order is published.
 */
const CLOSED_BY_ORDER: ReadonlySet<string> = new Set([
  '2012-12-24',
  '2014-12-26',
  '2018-12-05', // day of mourning for George H. W. Bush
  '2018-12-24',
  '2019-12-24',
  '2020-12-24',
  '2024-12-24',
  '2025-01-09', // day of mourning for Jimmy Carter
  '2025-12-24',
  '2025-12-26',
]);

const NEW_YORK_DAY = new Intl.DateTimeFormat('en-CA', {
  timeZone: 'America/New_York',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
});

/** The civil date in New York at an instant (epoch milliseconds or Date). */
export function newYorkDate(instant: number | Date): IsoDate {
  return NEW_YORK_DAY.format(instant) as IsoDate;
}

/** Whole civil days later, or earlier when `days` is negative. */
export function addDays(date: IsoDate, days: number): IsoDate {
  return new Date(epochOf(date) + days * DAY_MS).toISOString().slice(0, 10) as IsoDate;
}

/** Not a Saturday, Sunday or federal holiday (observed dates), nor closed by executive order. */
export function isBusinessDay(date: IsoDate): boolean {
  const weekday = new Date(epochOf(date)).getUTCDay();
  if (weekday === 0 || weekday === 6) return false;
  return !CLOSED_BY_ORDER.has(date) && !holidaysOf(Number(date.slice(0, 4))).has(date);
}

/** The last business day strictly before the date. */
export function previousBusinessDay(date: IsoDate): IsoDate {
  let day = addDays(date, -1);
  while (!isBusinessDay(day)) day = addDays(day, -1);
  return day;
}

/**
 * The last day on which a 13F for the quarter is on time: 45 days after its end, moved to the
 * next business day when that is none (17 CFR 240.0-3(a), domain 2.7).
 */
export function filingDeadline(quarterEnd: QuarterEnd): IsoDate {
  let day = addDays(quarterEnd, FILING_DEADLINE_DAYS);
  while (!isBusinessDay(day)) day = addDays(day, 1);
  return day;
}

/** Open through the end of the deadline date in New York, then closed (domain 2.7). */
export function filingWindowState(quarterEnd: QuarterEnd, asOf: IsoDate): FilingWindow {
  return asOf <= filingDeadline(quarterEnd) ? 'open' : 'closed';
}

const holidayYears = new Map<number, ReadonlySet<string>>();

/** Memoised: a pure function of the year that costs some thirty date objects. */
function holidaysOf(year: number): ReadonlySet<string> {
  const known = holidayYears.get(year);
  if (known) return known;
  // New Year's Day of the next year may be observed on 31 December of this one.
  const days = [...allForYear(year), ...allForYear(year + 1)].map((holiday) => holiday.dateString);
  const holidays = new Set(days);
  holidayYears.set(year, holidays);
  return holidays;
}

function epochOf(date: IsoDate): number {
  return Date.parse(`${date}T00:00:00Z`);
}
