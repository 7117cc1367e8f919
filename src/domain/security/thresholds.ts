/**
 * Every threshold of this folder, each with its rule in docs/rules.md; evidence is in docs/calibration.md.
 */

/** Rule 3.2. On real lists no security fails the check digit: 8,599 of 2018Q3, 13,107 of 2026Q2. */
export const MAX_FAILED_PERCENT = 1;

/** Rule 3.4. A source dated after the as-of date is used for up to two years. */
export const LATER_SOURCE_DAYS = 731;

/**
 * Rule 3.5. Two issuers seen under one symbol this close to the as-of date are ambiguous: the ticker was
 * just recycled. Fails files come twice a month, so 45 days are three of them.
 */
export const RECYCLED_TICKER_DAYS = 45;
/** Rule 3.5. Insiders of most issuers report at least twice a year, so one wrong symbol does not decide. */
export const ISSUER_SYMBOL_DAYS = 180;
/** Rule 3.5. A Form 4 this recent is better evidence for the symbol than today's company list. */
export const FORM4_SYMBOL_DAYS = 730;

/** Rule 3.6. Traded shares fail to settle more often: a CUSIP not seen for longer may no longer exist. */
export const SILENT_CUSIP_DAYS = 400;

/** Rule 3.7. The fails files truncate names at this length. */
export const MAX_DESCRIPTION = 30;
/** Rule 3.7. Shorter words are alike by chance: `ORIGEN` and `ORIGIN`. */
export const MIN_MISPRINT = 7;
/** Rule 3.7. Names with the same first letters, words joined, are of one issuer. */
export const MIN_RUN = 6;
