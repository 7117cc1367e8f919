import { Temporal } from 'temporal-polyfill';
import { isBusinessDay, newYorkDate, previousBusinessDay } from '../calendar.ts';
import type { IsoDate } from '../ids.ts';

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
