/** Thresholds of this folder, each with its rule in docs/rules.md. */

/** Rule 4.6, reasoned. Longest time between the two days of a jump: days without fails, and a holiday. */
export const JUMP_DAYS = 10;
/** Rule 4.6, reasoned. Days after a quarter end on which the price may still be that of an earlier day. */
export const BOUNDARY_DAYS = 3;
/** Rule 4.6, reasoned. The smallest split, 5 for 4, moves the price so far on a day on which the market rises. */
export const NO_JUMP = 1.18;
/** Rule 4.6, reasoned. Between two prices that are so far from a factor, either way, no split by it lies. */
export const STEP_TOLERANCE = 1.3;
/** Rule 4.6, reasoned. Days before a quarter end without a price, at most: those of a half-month without a file. */
export const END_DAYS = 20;

/** Rule 4.9, measured. Days of the files without a row before a new listing, and its first days, each with a row. */
export const UNLISTED_DAYS = 11;
export const FIRST_DAYS = 4;
/** Rule 4.9, reasoned. Dollars: what trades below is seldom spun off, and often lacks rows for weeks. */
export const LEAST_FIRST_PRICE = 5;
