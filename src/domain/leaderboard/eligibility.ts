import type { QuarterEnd } from '../ids.ts';
import { medianOf } from '../ratio.ts';
import type { FundSeries } from './series.ts';
import {
  MAX_OPTION_SHARE,
  MAX_POSITIONS,
  MIN_POSITIONS,
  MIN_PRICED_WEIGHT,
  MIN_QUARTERS,
  MIN_TOP10_WEIGHT,
} from './thresholds.ts';

/** Why a manager is not ranked: the closed list, with what each means (rule 9.3). */
export const INELIGIBLE = {
  too_few_quarters: `fewer than ${MIN_QUARTERS} quarters of the window have a return that a copier could have earned`,
  not_current: 'no report with holdings for the latest quarter whose deadline has passed',
  too_few_positions: `a report of the window has fewer than ${MIN_POSITIONS} equity positions`,
  too_many_positions: `a report of the window has more than ${MAX_POSITIONS} equity positions`,
  not_concentrated:
    'a report of the window has less than 20 percent of its equity in its ten largest positions',
  low_priced_weight: 'the median share of the copied weights with a price at both ends is below 85 percent',
  mostly_options: 'option notional is more than half of all that a report of the window lists',
  scale_unverified:
    'a report of the window has an uncertain scale of values, or share counts that repeat its values',
} as const;

export type IneligibleReason = keyof typeof INELIGIBLE;

export const INELIGIBLE_REASONS = Object.keys(INELIGIBLE) as IneligibleReason[];

/** All that apply, in the order of the list; empty for a manager that is ranked. `latest` is the last quarter due. */
export function ineligibilityOf(
  { portfolios, lagged }: Pick<FundSeries, 'portfolios' | 'lagged'>,
  latest: QuarterEnd,
): IneligibleReason[] {
  const pricedWeight = medianOf(lagged.map((quarter) => quarter.pricedWeight)) ?? 0n;
  const holds: Record<IneligibleReason, boolean> = {
    too_few_quarters: lagged.filter(({ counted }) => counted !== null).length < MIN_QUARTERS,
    not_current: portfolios.at(-1)?.quarterEnd !== latest,
    too_few_positions: portfolios.some(({ holdingsCount }) => holdingsCount < MIN_POSITIONS),
    too_many_positions: portfolios.some(({ holdingsCount }) => holdingsCount > MAX_POSITIONS),
    not_concentrated: portfolios.some(({ top10Weight }) => top10Weight < MIN_TOP10_WEIGHT),
    low_priced_weight: lagged.length > 0 && pricedWeight < MIN_PRICED_WEIGHT,
    mostly_options: portfolios.some(({ optionShare }) => optionShare > MAX_OPTION_SHARE),
    scale_unverified: portfolios.some(({ reasons }) => reasons.includes('scale_unverified')),
  };
  return INELIGIBLE_REASONS.filter((reason) => holds[reason]);
}
