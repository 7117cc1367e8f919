import { requireIsoDate } from '../ids.ts';

/**
 * Every threshold of this folder, each with its rule in docs/rules.md; evidence is in docs/calibration.md.
 */

/** Rule 1.6. More shares, or dollars of principal, than any security has: a filer error. */
export const MAX_SHARES = 1_000_000_000_000n;
/** Rule 1.6. Ten trillion dollars: more than any security is worth. */
export const MAX_VALUE_CENTS = 1_000_000_000_000_000n;

/** Rule 2.1. Filings made on or after this day give values in dollars, for any period. */
export const DOLLAR_VALUES_FROM = requireIsoDate('2023-01-03');

/** Rule 2.2. Fewer priced rows than this cannot contradict the filing date. */
export const MIN_PRICED_ROWS = 3;
/**
 * Rule 2.2. This share of the rows below one dollar, or above 10,000 dollars a share, contradicts the scale.
 */
export const CONTRADICTING_SHARE = 0.5;
export const LOW_PRICE_CENTS = 100n;
export const HIGH_PRICE_CENTS = 1_000_000n;

/** Rule 2.3. Fewer rows than this may repeat their value by chance. */
export const MIN_REPEATING_ROWS = 5;
/**
 * Rule 2.3. When this share of the rows repeats the value as share count, the same column was filed twice.
 */
export const REPEATING_SHARE = 0.8;

/**
 * Rule 2.9. A restatement with at most this many rows and less than `FEW_ROWS_SHARE` of the base is not
 * applied.
 */
export const PARTIAL_RESTATEMENT_ROWS = 3;
/** Rule 2.9. Less than this share of the base's rows, or of its keys, is not the base again. */
export const FEW_ROWS_SHARE = 0.5;
/** Rule 2.9. A restatement with less than this share of the base's rows is not applied. */
export const PARTIAL_RESTATEMENT_SHARE = 0.2;
/** Rule 2.9. A smaller count may be near a thousandth of another by rounding alone. */
export const MIN_THOUSANDFOLD = 10_000n;
/**
 * Rule 2.9. NEW HOLDINGS that repeat this share of the keys already reported, at the same amounts, are not
 * new.
 */
export const REPEATED_KEYS_SHARE = 0.5;

/** Rule 2.9. Rows that stand exactly twice, and their share of the table: a table that was pasted again. */
export const MIN_DOUBLED_ROWS = 10;
export const DOUBLED_SHARE = 0.8;

/** Rule 4.2. Fewer filers than this cannot confirm each other. */
export const MIN_PRICE_FILERS = 3;
/** Rule 4.2. A filer whose value per share is further from the median than this many percent is left out. */
export const PRICE_BAND_PCT = 5n;

/** Rule 5.3. A share count that moved by less than one part in this many did not change. */
export const UNMOVED_PARTS = 200n;
