import { allForYear } from '@18f/us-federal-holidays';
import { type IsoDate, isIsoDate, type QuarterEnd } from './ids.ts';
import { previousQuarterEnd, quarterEndOn } from './quarter.ts';

/** Rule 13f-1: a report is due 45 days after the end of the quarter. */
export const FILING_DEADLINE_DAYS = 45;

export const DAY_MS = 86_400_000;

/**
 * Days on which an executive order closed federal offices, in addition to the statutory holidays. EDGAR
 * treats them as filing holidays. All full days since 1999; add a day when its order is published.
 * Half days (EO 13281 of 2002, 13523 of 2009) are business days. So are days of storms and of lapsed
 * appropriations: EDGAR accepted filings on 29 October 2012.
 */
export const CLOSED_BY_ORDER: ReadonlySet<string> = new Set([
  '2001-12-24', // EO 13238
  '2003-12-26', // EO 13320
  '2004-06-11', // EO 13343, day of mourning for Ronald Reagan
  '2007-01-02', // EO 13421, day of mourning for Gerald Ford
  '2007-12-24', // EO 13453
  '2008-12-26', // EO 13482
  '2012-12-24', // EO 13633
  '2014-12-26', // EO 13682
  '2018-12-05', // EO 13852, day of mourning for George H. W. Bush
  '2018-12-24', // EO 13854
  '2019-12-24', // EO 13900
  '2020-12-24', // EO 13965
  '2024-12-24', // EO 14129
  '2025-01-09', // EO 14133, day of mourning for Jimmy Carter
  '2025-12-24',
  '2025-12-26',
]);

/** A filing transmitted after this time in New York counts as filed on the next business day. */
const LAST_FILING_TIME = '173000';
/** Ownership forms are accepted for the same day until 10 pm. */
const OWNERSHIP_FORM = /^[345](\/A)?$/;

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

/** The as-of date for every rule that needs one: the setting, else the civil date in New York. */
export function asOfDate(setting: IsoDate | null, nowMs: number): IsoDate {
  return setting ?? newYorkDate(nowMs);
}

/**
 * A filing exists on an as-of date when its FILED AS OF DATE is not after it (rule 1.3). The acceptance time
 * does not decide: after 5:30 pm the filing has the date of the next business day.
 */
export function isVisible(header: { readonly filedDate: IsoDate }, asOf: IsoDate): boolean {
  return header.filedDate <= asOf;
}

/** The civil date `days` later, or earlier when `days` is negative. */
export function addDays(date: IsoDate, days: number): IsoDate {
  return new Date(epochOf(date) + days * DAY_MS).toISOString().slice(0, 10) as IsoDate;
}

/** False for Saturdays, Sundays, federal holidays (observed dates) and days closed by executive order. */
export function isBusinessDay(date: IsoDate): boolean {
  if ([0, 6].includes(weekdayOf(date))) return false;
  return !CLOSED_BY_ORDER.has(date) && !holidaysOf(Number(date.slice(0, 4))).has(date);
}

/** True when the weekday before or after the date is a holiday. */
export function isNextToHoliday(date: IsoDate): boolean {
  return [-1, 1].some((step) => !isBusinessDay(nextWeekday(date, step)));
}

/** The next Monday to Friday in the direction of the step, holidays included. */
function nextWeekday(date: IsoDate, step: number): IsoDate {
  let day = addDays(date, step);
  while ([0, 6].includes(weekdayOf(day))) day = addDays(day, step);
  return day;
}

/** 0 is Sunday. */
function weekdayOf(date: IsoDate): number {
  return new Date(epochOf(date)).getUTCDay();
}

/**
 * The day on which EDGAR counts a submission as filed (17 CFR 232.13(a)). After 5:30 pm it is the next
 * business day, except for Forms 3, 4 and 5. `acceptance` is New York time as the header prints it
 * (`20250501162159`); null when it is not such a time.
 */
export function filingDateOf(acceptance: string, form: string): IsoDate | null {
  const [, year, month, day, time] = /^(\d{4})(\d\d)(\d\d)(\d{6})$/.exec(acceptance) ?? [];
  const accepted = `${year}-${month}-${day}`;
  if (time === undefined || !isIsoDate(accepted)) return null;
  const isLate = time > LAST_FILING_TIME && !OWNERSHIP_FORM.test(form);
  return businessDayFrom(isLate ? addDays(accepted, 1) : accepted);
}

/** 1 January of the year of the date. */
export function firstDayOfYear(date: IsoDate): IsoDate {
  return `${date.slice(0, 4)}-01-01` as IsoDate;
}

/** The last business day strictly before the date. */
export function previousBusinessDay(date: IsoDate): IsoDate {
  return businessDayFrom(addDays(date, -1), -1);
}

/**
 * The last day on which a 13F for the quarter is on time: 45 days after its end, moved to the
 * next business day when that is not one (17 CFR 240.0-3(a), rule 1.5).
 */
export function filingDeadline(quarterEnd: QuarterEnd): IsoDate {
  return businessDayFrom(addDays(quarterEnd, FILING_DEADLINE_DAYS));
}

/** Open through the end of the deadline date in New York, then closed (rule 1.5). */
export function filingWindowState(quarterEnd: QuarterEnd, asOf: IsoDate): FilingWindow {
  return asOf <= filingDeadline(quarterEnd) ? 'open' : 'closed';
}

/** The date itself or the next business day in the direction of the step. */
function businessDayFrom(date: IsoDate, step: 1 | -1 = 1): IsoDate {
  let day = date;
  while (!isBusinessDay(day)) day = addDays(day, step);
  return day;
}

const holidayYears = new Map<number, ReadonlySet<string>>();

/** Memoised: computing a year creates some thirty date objects. */
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

export type FilingWindow = 'open' | 'closed';

/** The newest quarter that is over on the day. Its last day still belongs to it. */
export function newestEndedQuarter(asOf: IsoDate): QuarterEnd {
  return previousQuarterEnd(quarterEndOn(asOf));
}

/** The newest quarter whose reports are all due. The deadline day itself is still open (rule 1.5). */
export function newestDueQuarter(asOf: IsoDate): QuarterEnd {
  let quarter = newestEndedQuarter(asOf);
  while (filingDeadline(quarter) >= asOf) quarter = previousQuarterEnd(quarter);
  return quarter;
}
