/**
 * Every threshold of this folder, each with its rule in docs/rules.md; evidence is in docs/calibration.md.
 */

/**
 * Rule 5.3. A CUSIP change counts for this many more quarters: many holders report it late, a few by years.
 */
export const QUARTERS_IN_FORCE = 12;

/** Rule 5.5. Below both, an equity position may be left out of a report. */
export const OMISSIBLE_SHARES = 10_000n;
export const OMISSIBLE_VALUE_CENTS = 20_000_000n;
/** Rule 5.4, measured. Equal counts that are multiples of this are chance, in a report of more rows and of fewer. */
export const LARGE_REPORT = 50;
export const LARGE_ROUND_LOT = 100n;
export const SMALL_ROUND_LOT = 1_000n;
/** Rule 5.4, measured. The value of one issuer's only pair may change by this: the holder traded too. */
export const TRADED_VALUE_RATIO = 10;
