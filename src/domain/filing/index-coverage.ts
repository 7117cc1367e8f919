import { addDays, isBusinessDay } from '../calendar.ts';
import { compare } from '../compare.ts';
import type { IsoDate } from '../ids.ts';

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
