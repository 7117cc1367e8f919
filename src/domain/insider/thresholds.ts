import { requireIsoDate } from '../ids.ts';

/**
 * Every threshold of this folder, each with its rule in docs/rules.md and its evidence. What was
 * measured stands in docs/calibration.md under the same number.
 */

/** Rule 6.3, measured. A total typed into the price field is far above any move of a quarter. */
export const IMPLAUSIBLE_PRICE_FACTOR = 10;
/**
 * Rule 6.3, measured. The factor where only one end of the quarter has a price, as before its reports
 * are filed: a reverse split of up to 1 for 100 may lie between that price and the trade.
 */
export const IMPLAUSIBLE_PRICE_FACTOR_ACROSS_SPLITS = 100 * IMPLAUSIBLE_PRICE_FACTOR;
/** Rule 6.3, reasoned. Both ends of its quarter are so near to every trade. */
export const REFERENCE_DAYS = 92;
/** Rule 6.3, reasoned. Founders of a company buy at fractions of a cent, whatever its shares are worth. */
export const LOWEST_REFERENCE_CENTS = 1;
/** Rule 6.3, measured. Prices rarely move more within a quarter, so a price this near per share is a total. */
export const SAME_QUARTER_FACTOR = 3;

/** Rule 6.4, reasoned. Paper reports go back further, but a Form 4 in XML cannot restate an earlier trade. */
export const EARLIEST_PLAUSIBLE_TRADE = requireIsoDate('1990-01-01');

/** Rule 6.6, form instruction. Complexes of more than ten owners split one trade over several forms. */
export const SAME_TRADE_DAYS = 5;

/** Rule 6.7, reasoned. This many insiders at one price on one day did not each trade on the market. */
export const POSSIBLE_OFFERING_INSIDERS = 3;

/** Rule 6.13, statute. Before it the Holding Foreign Insiders Accountable Act was not in effect. */
export const FOREIGN_INSIDERS_FILE_FROM = requireIsoDate('2026-03-18');
