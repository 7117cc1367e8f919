import { Temporal } from 'temporal-polyfill';
import { addDays, isBusinessDay, newYorkDate, previousBusinessDay } from '../calendar.ts';
import type { IsoDate } from '../ids.ts';

/**
 * How a filing was found, the most urgent first (rule 13.4): by the feed, by the daily index of the last
 * days, or by reading history. A filing that a more urgent lane finds moves up.
 */
export const LANES = ['live', 'reconcile', 'backfill'] as const;

export type Lane = (typeof LANES)[number];

/** Of work that came from no filing, or from one whose lane is not known: it waits for all that did. */
export const LAST_LANE: Lane = 'backfill';

/** The indexes of the last days are read again at each backfill, because EDGAR rewrites them to correct them. */
export const REREAD_DAYS = 7;

/** The lane of what the daily index of a day names. */
export function laneOfIndex(day: IsoDate, today: IsoDate): Lane {
  return day < addDays(today, -REREAD_DAYS) ? 'backfill' : 'reconcile';
}

/** The lanes that come before this one. */
export function lanesBefore(lane: Lane): readonly Lane[] {
  return LANES.slice(0, LANES.indexOf(lane));
}

/** The lanes that wait for this one. */
export function lanesAfter(lane: Lane): readonly Lane[] {
  return LANES.slice(LANES.indexOf(lane) + 1);
}

const MINUTE_MS = 60_000;
/** EDGAR accepts filings from 6 am to 10 pm in New York on business days, and lists them minutes later (rule 10.4). */
const OPENS = '06:00';
const CLOSES = '22:10';

/** The last minute up to `nowMs` in which the feed could grow, as epoch milliseconds. */
export function lastFeedMinute(nowMs: number): number {
  const day = newYorkDate(nowMs);
  if (!isBusinessDay(day) || nowMs < instantOf(day, OPENS))
    return instantOf(previousBusinessDay(day), CLOSES);
  return Math.min(nowMs - (nowMs % MINUTE_MS), instantOf(day, CLOSES));
}

/**
 * Minutes for which EDGAR's feed has not been read, or a filing that it listed has not been stored. Zero while
 * EDGAR is closed and everything before was read.
 */
export function minutesBehind(
  nowMs: number,
  { polledMs, waitingSinceMs }: { readonly polledMs: number; readonly waitingSinceMs: number | null },
): number {
  const unread = lastFeedMinute(nowMs) - polledMs;
  const unstored = waitingSinceMs === null ? 0 : nowMs - waitingSinceMs;
  return Math.floor(Math.max(0, unread, unstored) / MINUTE_MS);
}

function instantOf(day: IsoDate, time: string): number {
  return Temporal.PlainDateTime.from(`${day}T${time}`).toZonedDateTime('America/New_York').epochMilliseconds;
}
