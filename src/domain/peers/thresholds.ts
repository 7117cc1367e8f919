import { UNMOVED_PARTS } from '../report/thresholds.ts';
/**
 * Every threshold of this folder, each with its rule in docs/rules.md and its evidence. What was
 * measured stands in docs/calibration.md under the same number; "reasoned" means that no filing
 * of the corpus could calibrate it.
 */

/** Rule 4.2, reasoned. Smaller values are mostly rounding: one thousand dollars for three shares. */
export const MIN_SCALED_VALUE = 10n;

/** Rule 4.3, measured. Rows that other filers price. Fewer rows decide only with {@link THIN_AGREEMENT_PCT}. */
export const MIN_COMPARABLE_ROWS = 3;
/** Rule 4.3, reasoned. One row alone never decides the scale of a filing. */
export const MIN_THIN_ROWS = 2;
/** Rule 4.3, reasoned. Part of a thin filing's value that its agreeing rows must carry. */
export const THIN_AGREEMENT_PCT = 80n;
/** Rule 4.3, measured. Decimal orders from the peers' price within which the scale of the date is right. */
export const AS_DATED_BAND = 0.3;
/** Rule 4.3, measured. Decimal orders from a factor of 1,000 within which it is one. */
export const THOUSAND_BAND = 0.15;

/** Rule 4.4, measured. Decimal orders from the peers' price beyond which a single row is a slip. */
export const OUTLIER_BAND = 1;

/** Rule 4.5, reasoned. A share count within this part of the expected count is that count. */
export const MOVE_TOLERANCE = 1 / Number(UNMOVED_PARTS);
/** Rule 4.5, reasoned. From this expected count on, a difference below one share is a fraction settled in cash. */
export const MIN_SETTLED_SHARES = 10;
/** Rule 4.5, reasoned. Holders that must have moved by one factor. */
export const MIN_SPLIT_VOTES = 5;
/** Rule 4.5, reasoned. The same as a share of the holders of both quarters: the others traded. */
export const SPLIT_VOTE_SHARE = 0.25;
/**
 * Rule 4.5, reasoned. Up to this factor, either way, {@link SMALL_SPLIT_VOTE_SHARE} applies: managers
 * of one complex also add a quarter together, and a price that stood still fits the factor too.
 */
export const SMALL_SPLIT = 3 / 2;
/** Rule 4.5, reasoned. */
export const SMALL_SPLIT_VOTE_SHARE = 0.5;

/** Rule 4.6, reasoned. Part of the holders that moved alike: this many do not trade alike by chance. */
export const COMMON_RATIO_PCT = 60;
/** Rule 4.6, reasoned. Part of their shares, up to which holders trade in the quarter of a split. */
export const TRADED_PART = 0.25;
/** Rule 4.6, reasoned. Holders that moved for each holder that stood still: a split moves every count. */
export const MIN_MOVED_FOR_EACH_UNCHANGED = 4;
/** Rule 4.6, reasoned. A ratio nearer to 1 is a share count that stood still. */
export const MIN_COMMON_MOVE = 0.0075;
/** Rule 4.6, reasoned. Error and largest denominator of an unlisted ratio, so that it is reported in small terms. */
export const RATIO_TOLERANCE = 0.0001;
export const MAX_RATIO_DENOMINATOR = 10_000;

/**
 * Rule 4.6, reasoned. Every move by a factor, exactly or nearly, lies outside: 5 for 4 exactly, and 1 for 2
 * with trades.
 */
export const MIN_FAR_RAISE = 1.15;
export const MAX_FAR_CUT = 0.7;

/** Rule 4.7, measured. One holder may have traded a little in the quarter of a split. */
export const SPLIT_SHARE_TOLERANCE = 0.05;
/** Rule 4.7, measured. The market moves within a quarter. */
export const SPLIT_PRICE_TOLERANCE = 0.35;
/**
 * Rule 4.7, measured. From this factor on, either way, a price nearer to the inverse than to no move
 * is enough: stocks that rose most are split, and tripling a position at half the price is rare.
 */
export const LARGE_SPLIT = 4;

/** Rule 4.8, reasoned. Part of the holders that leave the old CUSIP, and part of them that hold the new one. */
export const CUSIP_CHANGE_PCT = 60;
/** Rule 4.8, reasoned. Fewer holders that went over prove nothing. */
export const MIN_WENT_OVER = 3;
/** Rule 4.8, reasoned. Part of them that must agree on a factor other than one for one: it restates share counts. */
export const FACTOR_PCT = 60;
/**
 * Rule 4.8, reasoned. Largest price ratio, either way, of a security that only changed its number.
 * Funds of one family share the issuer's digits, and a holder may switch between two of them.
 */
export const RENAMED_PRICE_RATIO = 2;

/** Rule 4.9, reasoned. Holders, and the part of them, that left or entered at once: more than chance. */
export const MIN_MASS_MOVE_HOLDERS = 5;
export const MASS_MOVE_PCT = 90;
/** Rule 4.9, reasoned. Part of the new holders that held one other security, and part of its holders that entered. */
export const SHARED_SOURCE_PCT = 60;
/** Rule 4.9, reasoned. The same where more than half of all managers hold the other security: buyers hold it too. */
export const POPULAR_SOURCE_PCT = 90;

/** Rule 4.10, reasoned. Positions; smaller portfolios are alike by chance. */
export const MIN_SAME_POSITIONS = 5;
export const MIN_SUCCESSION_POSITIONS = 5;
/** Rule 4.10, measured. Part of the larger portfolio that must be in both for one to have taken over the other. */
export const SUCCESSION_OVERLAP = 0.9;
/** Rule 4.10, measured. A successor trades as usual: a count of at least this part of the other is the same position. */
export const CARRIED_SHARE = 0.5;
