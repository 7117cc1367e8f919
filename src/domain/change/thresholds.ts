/**
 * Every threshold of this folder, each with its rule in docs/rules.md; evidence is in docs/calibration.md.
 */

/**
 * Rule 5.3. A CUSIP change counts for this many more quarters: many holders report it late, some by a year.
 */
export const QUARTERS_IN_FORCE = 4;

/** Rule 5.4. Largest ratio of the two values, either way, of what may be one position. */
export const CARRIED_VALUE_RATIO = 2;
/** Rule 5.4. Smaller counts are equal by chance. */
export const MIN_EQUAL_SHARES = 1_000n;
/** Rule 5.4. Equal counts this large, with this many significant digits, are not chance at any values. */
export const MIN_DISTINCTIVE_SHARES = 10_000n;
export const MIN_DISTINCTIVE_DIGITS = 4;
/**
 * Rule 5.4. With more pairs of an exit and a start, some counts are equal by chance: the values must agree
 * too.
 */
export const MANY_PAIRS = 10_000;
/** Rule 5.4. Round lots with fewer significant digits are equal by chance. */
export const ROUND_LOT = 100n;
export const MIN_LOT_DIGITS = 3;

/** Rule 5.5. Below both, an equity position may be left out of a report. */
export const OMISSIBLE_SHARES = 10_000n;
export const OMISSIBLE_VALUE_CENTS = 20_000_000n;
