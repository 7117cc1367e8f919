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
  const [year, month, day, hour, minute, second] = parts.slice(1).map(Number) as SixNumbers;
  const wall = Date.UTC(year, month - 1, day, hour, minute, second);
  const digits = new Date(wall).toISOString().replace(/\D/g, '').slice(0, 14);
  if (digits !== stamp) return null;
  const summer = wall + 4 * HOUR_MS;
  const utc = Number(newYorkHour.format(summer)) === hour ? summer : wall + 5 * HOUR_MS;
  return `${new Date(utc).toISOString().slice(0, 19)}Z`;
}

type SixNumbers = [number, number, number, number, number, number];
