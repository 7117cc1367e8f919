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
