/**
 * Every threshold of this folder, each with its rule in docs/rules.md; evidence is in docs/calibration.md.
 */

/** Rule 2.14. With a larger share of impossible CUSIPs, the column read is not one of CUSIPs. */
export const MAX_BAD_CUSIPS = 0.5;
/** Rule 2.14. A declared value further away, in percent, is of another table, or rows were lost. */
export const FARTHEST_VALUE_PERCENT = 25n;

/**
 * Rule 2.15. Rows of one security in one report have one price: their values per share agree within rounding.
 */
export const SAME_PRICE_PERMILLE = 10n;
/** Rule 2.15. Within this, a wrong digit is more likely than a row of another security. */
export const NEAR_PRICE_PERMILLE = 100n;
