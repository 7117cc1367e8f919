import { isIsoDate } from '../domain/ids.ts';

const HOUR_MS = 3_600_000;
const STAMP = /^(\d{4})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})$/;
const newYorkHour = new Intl.DateTimeFormat('en-US', {
  timeZone: 'America/New_York',
  hour: '2-digit',
  hourCycle: 'h23',
});

/**
 * ACCEPTANCE-DATETIME `YYYYMMDDhhmmss`, Eastern time, as ISO 8601 UTC with seconds (rule 1.4). Null when
 * it is not a time. The offset comes from the zone rules. An hour that occurs twice counts as the first
 * one, and a skipped hour is moved forward; EDGAR accepts no filing in either.
 */
export function easternToUtc(stamp: string): string | null {
  const parts = STAMP.exec(stamp);
  if (parts === null) return null;
  const [, year = '', month = '', day = '', hour = '', minute = '', second = ''] = parts;
  const isDay = year >= '0100' && isIsoDate(`${year}-${month}-${day}`);
  if (!isDay || hour > '23' || minute > '59' || second > '59') return null;
  const start = Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour));
  const utc = start + offsetOf(start, Number(hour)) + (Number(minute) * 60 + Number(second)) * 1_000;
  return `${new Date(utc).toISOString().slice(0, 19)}Z`;
}

/** Offsets of hours met before: many filings are accepted in one hour, and the zone rules are slow to ask. */
const OFFSETS = new Map<number, number>();
const MAX_OFFSETS = 10_000;

/** `start` is the begin of an hour of New York, as if it were UTC. */
function offsetOf(start: number, hour: number): number {
  const known = OFFSETS.get(start);
  if (known !== undefined) return known;
  const isSummer = Number(newYorkHour.format(start + 4 * HOUR_MS)) === hour;
  const offset = (isSummer ? 4 : 5) * HOUR_MS;
  if (OFFSETS.size < MAX_OFFSETS) OFFSETS.set(start, offset);
  return offset;
}
