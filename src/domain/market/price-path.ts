import { addDays } from '../calendar.ts';
import type { QuarterEnd } from '../ids.ts';
import { previousQuarterEnd } from '../quarter.ts';
import type { PriceDay, PriceStep } from './market.ts';
import { BOUNDARY_DAYS, END_DAYS, JUMP_DAYS, NO_JUMP, STEP_TOLERANCE } from './thresholds.ts';

/** Old price over new one, which is what a split multiplies shares by, and the two days. */
export type Jump = PriceStep & { readonly ratio: number };

/** How a price went from one quarter end to the next. */
export type PricePath = {
  /** Between two neighbouring days. */
  readonly jumps: readonly Jump[];
  /** Whether a split by this factor may lie in it: no two neighbouring prices show that there was none (rule 4.6). */
  readonly mayHide: (factor: number) => boolean;
  /** The last price of the quarter for that of the reports; null without one in its last days. */
  readonly endRatio: number | null;
};

/** What the reports themselves say of the price at the two ends, in dollars; null where they do not. */
type PricesAtEnds = { readonly before: number | null; readonly after: number | null };

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
    return isNear && Math.abs(Math.log(ratio)) > Math.log(NO_JUMP) ? [{ last, first, ratio }] : [];
  });
  const end = within.at(-1);
  const isNearEnd = end !== undefined && end.day >= addDays(quarterEnd, -END_DAYS);
  const endRatio = isNearEnd && after !== null ? end.price / after : null;
  if (end === undefined || before === null || after === null) return { jumps, endRatio, mayHide: () => true };
  const chain = [before, ...within.map(({ price }) => price), after];
  const steps = chain.slice(1).map((price, at) => (chain[at] as number) / price);
  return { jumps, endRatio, mayHide: (factor) => steps.some((step) => isOfStep(step / factor)) };
}

function isOfStep(ratio: number): boolean {
  return Math.abs(Math.log(ratio)) <= Math.log(STEP_TOLERANCE);
}

/** A row's price is that of the day before, and who counts shares after which day is not the same everywhere. */
function isNearQuarter({ day: last }: PriceDay, { day: first }: PriceDay, quarterEnd: QuarterEnd): boolean {
  return first > previousQuarterEnd(quarterEnd) && last <= addDays(quarterEnd, BOUNDARY_DAYS);
}
