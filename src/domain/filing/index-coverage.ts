import { addDays, isBusinessDay } from '../calendar.ts';
import type { IsoDate } from '../ids.ts';

/**
 * The unbroken run of reconciled index days around `from`, the first day that the last backfill asked
 * for. It ends before the first business day that could not be read (rule 10.5). A gap before the last
 * backfill does not count. Weekends and holidays have no index.
 *
 * @param days in ascending order
 */
export function indexCoverage(
  days: readonly IsoDate[],
  from: IsoDate | null = null,
): { readonly start: IsoDate | null; readonly through: IsoDate | null } {
  const anchor = Math.max(
    0,
    days.findIndex((day) => from === null || day >= from),
  );
  let first = anchor;
  while (isJoined(days[first - 1], days[first])) first -= 1;
  let last = anchor;
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
