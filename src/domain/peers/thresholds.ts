/**
 * Every threshold of this folder but the gaps of exact counts (`split.ts`), each with its rule in
 * docs/rules.md and its evidence. What was measured stands in docs/calibration.md under the same
 * number; "reasoned" means that no filing of the corpus could calibrate it.
 */

/** Rule 4.2, reasoned. Smaller values are mostly rounding: one thousand dollars for three shares. */
export const MIN_SCALED_VALUE = 10n;

/** Rule 4.3, measured. Rows that other filers price. Fewer rows decide only with {@link THIN_AGREEMENT_PCT}. */
export const MIN_COMPARABLE_ROWS = 3;
/** Rule 4.3, reasoned. One row alone never decides the scale of a filing. */
export const MIN_THIN_ROWS = 2;
/** Rule 4.3, measured. Of a filing's own prices, how many the other scale would make impossible, and how many are odd. */
export const PLAIN_SHARE = 0.9;
export const ODD_SHARE = 0.05;
/** Rule 4.3, reasoned. Part of a thin filing's value that its agreeing rows must carry. */
export const THIN_AGREEMENT_PCT = 80n;
/** Rule 4.3, measured. Decimal orders from the peers' price within which the scale of the date is right. */
export const AS_DATED_BAND = 0.3;
/** Rule 4.3, measured. Decimal orders from a factor of 1,000 within which it is one. */
export const THOUSAND_BAND = 0.15;

/** Rule 4.4, measured. Decimal orders from the peers' price beyond which a single row is a slip. */
export const OUTLIER_BAND = 1;

/** Rule 4.5, measured. A count within this part of the factor's, or within one share, is exactly the factor's. */
export const MOVE_TOLERANCE = 0.0005;
/** Rule 4.5, reasoned. Part of their shares, up to which holders trade in the quarter of a split. */
export const TRADED_PART = 0.3;
/** Rule 4.5, measured. Counts that moved by less stood still: in a split none does. */
export const STILL_PART = 0.13;
/** Rule 4.5, measured. How far the price of a split share moves within some days, beside the split. */
export const JUMP_TOLERANCE = 0.12;
/** Rule 4.5, measured. The same where no count is exact: half a price is lost in crashes, but rarely just half. */
export const SPLIT_JUMP_TOLERANCE = 0.04;
/** Rules 4.5 and 4.7, measured. Dollars a share: companies do not split what is cheaper, but it falls by half. */
export const LEAST_JUMP_PRICE = 10;
export const LEAST_PRICE = 15;
export const LEAST_DOUBLED_PRICE = 20;
/**
 * Rule 4.7, measured. How far a price moves in a quarter beside the market and a split: by 2 for 1 where holders traded
 * too, where a count is just twice as many, and by more.
 */
export const TRADED_PRICE_TOLERANCE = 0.1;
export const DOUBLED_PRICE_TOLERANCE = 0.14;
export const SPLIT_PRICE_TOLERANCE = 0.3;
/** Rule 4.7, measured. The same of a price that hardly moved beside it, and how far, in times, counts may be from the factor then. */
export const SHARP_PRICE_TOLERANCE = 0.03;
export const TRADED_TIMES = 2.5;
/** Rule 4.7, measured. In a split so many times more holders moved along than stood still. */
export const MOVED_TIMES = 4;
/** Rule 4.7, measured. From this factor on a price may double or halve beside it, and no fall looks like it. */
export const LARGE_SPLIT = 8;
/** Rule 4.7, reasoned. The median move of so many securities is that of the market. */
export const MIN_MARKET = 20;
/** Rule 4.7, reasoned. The same where a count is exact. */
export const EXACT_PRICE_TOLERANCE = 0.5;
/** Rule 4.5, measured. Counts of a 3 for 2, which holders trade as far as. */
export const SMALL_SPLIT_TOLERANCE = 0.015;

/**
 * Rule 4.7, reasoned. Percent of the smallest stock dividend, and how many exact counts show one: so many, for each
 * that stood still too, and more of less than {@link MIN_CROWD_HOLDERS}, some of whom rebalance by one percent.
 */
export const LEAST_DIVIDEND = 102;
export const MIN_DIVIDEND_VOTES = 3;
export const MIN_FEW_DIVIDEND_VOTES = 5;

/** Rules 4.8 and 4.9, measured. Part of all holders that moved alike: this many do not by chance. */
export const CROWD_PCT = 60;
/** Rule 4.9, reasoned. Part of their shares, up to which holders trade beside. */
export const CROWD_SPREAD = 0.25;
/** Rule 4.9, reasoned. Fewer holders prove no stock merger together. */
export const MIN_CROWD_HOLDERS = 10;

/** Rule 4.8, reasoned. Longest time without prices between the two CUSIPs of a symbol. */
export const SUCCESSION_DAYS = 30;
/** Rule 4.8, measured. What is left of a price after the days of a reverse split, at least. */
export const LEAST_FALLEN = 0.6;
/** Rule 4.8, reasoned. Holders of equal counts that prove a new CUSIP of an issuer, and what counts are round. */
export const MIN_EQUAL_HOLDERS = 2;
export const ROUND_LOT = 100;
/** Rule 4.8, reasoned. Fewer holders that went over are no crowd. */
export const MIN_WENT_OVER = 5;
/**
 * Rules 4.5, 4.7 to 4.9 and 5.4, measured. Largest ratio of the two values, either way, of what may be one position: a
 * security does not double or halve by a change of its number.
 */
export const CARRIED_VALUE_RATIO = 2;
/** Rules 4.8, 4.9 and 5.4, measured. Smaller equal counts are chance. */
export const MIN_EQUAL_SHARES = 1_000;

/** Rule 4.9, reasoned. Holders, and the part of them, that left or entered at once: more than chance. */
export const MIN_MASS_MOVE_HOLDERS = 5;
export const MASS_MOVE_PCT = 90;
/** Rule 4.9, measured. Part of the new holders that held one other security. */
export const PARENT_PCT = 60;
/** Rule 4.9, measured. That part is at least so many times the part of all managers: buyers hold popular stocks too. */
export const PARENT_TIMES = 2;

/** Rule 4.10, reasoned. Positions; smaller portfolios are alike by chance. */
export const MIN_SAME_POSITIONS = 5;
