import { addDays } from '../calendar.ts';
import type { QuarterEnd } from '../ids.ts';
import { previousQuarterEnd } from '../quarter.ts';
import type { PriceDay, PriceStep } from './market.ts';
import { BOUNDARY_DAYS, JUMP_DAYS, NO_JUMP, QUIET_STEP } from './thresholds.ts';

/** Old price over new one, which is what a split multiplies shares by, and the two days. */
export type Jump = PriceStep & { readonly ratio: number };

/**
 * How a price went from one quarter end to the next: it jumped between two neighbouring days; or nowhere, so
 * that there was no split; or nobody knows, where a longer time without prices hides a change.
 */
export type PricePath = { readonly jumps: readonly Jump[]; readonly isQuiet: boolean };

/** What the reports themselves say of the price at the two ends, in dollars; null where they do not. */
export type PricesAtEnds = { readonly before: number | null; readonly after: number | null };

/**
 * @param days prices of one security, in the order of the days
 */
export function pricePath(
  days: readonly PriceDay[],
  quarterEnd: QuarterEnd,
  { before, after }: PricesAtEnds,
): PricePath {
  const start = previousQuarterEnd(quarterEnd);
  const within = days.filter(({ day }) => day > start && day <= quarterEnd);
  const jumps = days.slice(1).flatMap((first, at): Jump[] => {
    const last = days[at] as PriceDay;
    const ratio = last.price / first.price;
    const isNear = first.day <= addDays(last.day, JUMP_DAYS) && isNearQuarter(last, first, quarterEnd);
    return isNear && movedBy(ratio, NO_JUMP) ? [{ last, first, ratio }] : [];
  });
  const chain = [before, ...within.map(({ price }) => price), after];
  const isWhole = within.length > 0 && chain.every((price) => price !== null);
  const isQuiet = isWhole && jumps.length === 0 && !hasStep(chain as number[]);
  return { jumps, isQuiet };
}

function hasStep(chain: readonly number[]): boolean {
  return chain.slice(1).some((price, at) => movedBy((chain[at] as number) / price, QUIET_STEP));
}

function movedBy(ratio: number, least: number): boolean {
  return Math.abs(Math.log(ratio)) > Math.log(least);
}

/** A row's price is that of the day before, and who counts shares after which day is not the same everywhere. */
function isNearQuarter({ day: last }: PriceDay, { day: first }: PriceDay, quarterEnd: QuarterEnd): boolean {
  return first > previousQuarterEnd(quarterEnd) && last <= addDays(quarterEnd, BOUNDARY_DAYS);
}
