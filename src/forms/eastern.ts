import { isIsoDate } from '../domain/ids.ts';

const HOUR_MS = 3_600_000;
const STAMP = /^(\d{10})([0-5]\d)([0-5]\d)$/;
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
  const [, hour = '', minute, second] = STAMP.exec(stamp) ?? [];
  const utcHour = utcHourOf(hour);
  return utcHour === null ? null : `${utcHour}:${minute}:${second}Z`;
}

/** `YYYYMMDDhh` of New York as `YYYY-MM-DDThh` of UTC. */
function utcHourOf(text: string): string | null {
  const [year, month, day] = [text.slice(0, 4), text.slice(4, 6), text.slice(6, 8)];
  const hour = Number(text.slice(8));
  // `Date.UTC` takes the first hundred years for those of the 20th century.
  if (year < '0100' || !isIsoDate(`${year}-${month}-${day}`) || hour > 23) return null;
  const start = Date.UTC(Number(year), Number(month) - 1, Number(day), hour);
  const isSummer = Number(newYorkHour.format(start + 4 * HOUR_MS)) === hour;
  return new Date(start + (isSummer ? 4 : 5) * HOUR_MS).toISOString().slice(0, 13);
}
