import { requireCusip } from '../ids.ts';
import { MIN_PRICE_FILERS, PRICE_BAND_PCT } from '../report/thresholds.ts';
import { COPIED_POSITIONS, LUCK_LEVEL_PCT, POSITION_CAP_PCT, SHRINK_QUARTERS } from './thresholds.ts';

/** Raised when the method changes. Results of another version are computed again. */
export const METHOD_VERSION = 'copyability.v6';

/** SPDR S&P 500 ETF Trust, which thousands of filers hold. */
export const BENCHMARK = { ticker: 'SPY', cusip: requireCusip('78462F103') } as const;

export const METHOD_DESCRIPTION = [
  'Historical copyability under a stated method.',
  "The price of a security at a quarter's end is the median of value per share over its filers, weighted by shares.",
  `It needs at least ${MIN_PRICE_FILERS} filers within ${PRICE_BAND_PCT} percent of the plain median.`,
  `One quarter after its period ends, a copier buys the ${COPIED_POSITIONS} largest equity positions of the report that was public by then, and holds them for a quarter.`,
  `Positions are weighted by value, each counted at no more than ${POSITION_CAP_PCT} percent of their sum.`,
  'Splits and new CUSIPs that a vote of filers confirms are followed.',
  "The excess is that return minus the benchmark's over the same quarter.",
  `The score is the mean excess times n/(n+${SHRINK_QUARTERS}), over n quarters, divided by the downside deviation of the excess (at least 1 percent a quarter).`,
  'A negative mean is multiplied by that deviation, in percent, so that risk never improves the rank of a loss.',
  `A manager is beyond luck when the best of as many managers without skill would reach its t statistic in fewer than ${LUCK_LEVEL_PCT} of 100 rankings.`,
].join(' ');

/** What the method cannot see: printed with every answer. */
export const METHOD_LIMITATIONS: readonly string[] = [
  'Prices are implied by 13F values at quarter ends. Returns have no dividends, costs or trades within a quarter.',
  'The copied portfolio is one to two quarters behind the manager by design. It has no short positions, cash, bonds, options or securities outside Form 13F.',
  'A security that was delisted or acquired within a quarter has no price at its end. The excess is given three times: without such positions, with them at their last price, and with all of their value lost. A quarter with less than half of its weight priced is in the last two only. The premium of a takeover is in none of them.',
  'A spin-off counts as a loss of the parent, whose price falls by what it hands out. Returns leave out the shares of the new company that its holders receive.',
  'A security whose share counts moved like a split that no vote of filers confirms has no price over that quarter.',
  'Values before 2023 are rounded to a thousand dollars.',
  'Weights are those of the date of the report. A copier buys them a quarter later, and the changes of prices in between are not in them.',
  'The scale of values follows the filing date and the prices of other filers. A report of uncertain scale is left out with its quarter, as is one with too few or too many positions, little concentration or mostly options. What an amendment adds in doubt has no weight in the copy.',
  'Money that flows into or out of a manager is not a return and is excluded. Only the prices of what is held count.',
  'Only managers that still report are ranked. Those that stopped, or whose last report cannot be read, are counted as ineligible while one of their reports is in the window. Many stop after losses, so the ranked ones together look better than all that were there.',
  'With many managers over few quarters, some look good by luck. The first of the list is not skilled because it is first: only a line that is beyond luck is more than chance gives to the best of them.',
  'The measure of luck expects excesses that are as often far below their mean as far above. A manager with many small gains and rare large losses looks better than it is.',
];

export const DISCLAIMER =
  'Historical copyability under the stated method. It is not investment advice, and past results do not predict future ones.';
