import type { QuarterEnd } from '../ids.ts';
import { quarterAfter } from '../quarter.ts';
import { medianOf } from '../ratio.ts';
import { faultsOf, REPORT_FAULTS } from './portfolio.ts';
import type { FundSeries } from './quarter-series.ts';
import { LAG_QUARTERS, MAX_POSITIONS, MIN_POSITIONS, MIN_PRICED_WEIGHT, MIN_QUARTERS } from './thresholds.ts';

const leftOut = (because: string): string =>
  `too few quarters count, and at least one of the others is left out because its report ${because}`;

/** Why a manager is not ranked: the closed list, with what each means (rule 9.3). */
export const INELIGIBLE = {
  too_few_quarters: `fewer than ${MIN_QUARTERS} quarters of the window count`,
  not_current: 'no readable report with holdings for the latest quarter whose deadline has passed',
  too_few_positions: leftOut(`has fewer than ${MIN_POSITIONS} equity positions`),
  too_many_positions: leftOut(`has more than ${MAX_POSITIONS} equity positions`),
  not_concentrated: leftOut('has less than 20 percent of its equity in its ten largest positions'),
  low_priced_weight: 'the median share of the copied weights with a price at both ends is below 85 percent',
  mostly_options: leftOut('lists more option notional than anything else'),
  scale_unverified: leftOut('has an uncertain scale of values, or share counts that repeat its values'),
} as const;

export type IneligibleReason = keyof typeof INELIGIBLE;

export const INELIGIBLE_REASONS = Object.keys(INELIGIBLE) as IneligibleReason[];

/**
 * All that apply, in the order of the list; empty for a manager that is ranked. A fault of a report counts
 * only when too few quarters are left. `latest` is the last quarter due.
 */
export function ineligibilityOf(
  fund: Pick<FundSeries, 'portfolios' | 'lagged'>,
  latest: QuarterEnd,
): IneligibleReason[] {
  const { portfolios, lagged } = fund;
  const pricedWeight = medianOf(lagged.map((quarter) => quarter.pricedWeight)) ?? 0n;
  const isShort = lagged.filter(({ counted }) => counted !== null).length < MIN_QUARTERS;
  const faults = new Set<IneligibleReason>(isShort ? heldReports(fund, latest).flatMap(faultsOf) : []);
  const holds: Partial<Record<IneligibleReason, boolean>> = {
    too_few_quarters: isShort,
    not_current: portfolios.at(-1)?.quarterEnd !== latest,
    low_priced_weight: lagged.length > 0 && pricedWeight < MIN_PRICED_WEIGHT,
    ...Object.fromEntries(REPORT_FAULTS.map((fault) => [fault, faults.has(fault)])),
  };
  return INELIGIBLE_REASONS.filter((reason) => holds[reason]);
}

/** The reports whose portfolios a copier held until `latest` at the latest. */
export function heldReports({ portfolios }: Pick<FundSeries, 'portfolios'>, latest: QuarterEnd) {
  const last = quarterAfter(latest, -LAG_QUARTERS);
  return portfolios.filter(({ quarterEnd }) => quarterEnd <= last);
}
