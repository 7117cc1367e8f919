/**
 * Every threshold of the leaderboard, each with its rule in docs/rules.md. All are reasoned, see
 * docs/calibration.md, "Leaderboard". A changed one is another method: raise `METHOD_VERSION`.
 */

/** Rule 9.1. The largest positions that a copier buys. */
export const COPIED_POSITIONS = 20;
/** Rule 9.1. Percent of their value together that one of them counts with at most. */
export const POSITION_CAP_PCT = 15n;
/** Rule 9.1. Quarters between the end of a copied report's period and the end of the quarter that it is held. */
export const LAG_QUARTERS = 2;

/** Rule 9.2. Share of the holders of both quarters that must look like a split, as in a vote (rule 4.5). */
export const SUSPECTING_SHARE = 0.25;
/** Rule 9.2. How far a price moves in a quarter that no holder of both quarters saw. */
export const FAR_PRICE_MOVE = 0.35;
/** Rule 9.2. In billionths. A quarter with less of its weight priced says nothing and is not counted. */
export const MIN_QUARTER_PRICED_WEIGHT = 500_000_000n;

/** Rule 9.3. The score is shrunk by n / (n + this), because few quarters may be luck. */
export const SHRINK_QUARTERS = 8n;
/** Rule 9.3. In billionths a quarter. Without a losing quarter the score stays finite. */
export const DOWNSIDE_FLOOR = 10_000_000n;
/** Rule 9.3. Two years of quarters that a copier could have earned. Three are preferred. */
export const MIN_QUARTERS = 8;
export const PREFERRED_QUARTERS = 12;
/** Rule 9.3. Equity positions of every report of the window. */
export const MIN_POSITIONS = 5;
export const MAX_POSITIONS = 750;
/** Rule 9.3. In billionths: equity in the largest positions of a report, as many as these. */
export const MIN_TOP10_WEIGHT = 200_000_000n;
export const CONCENTRATION_POSITIONS = 10;
/** Rule 9.3. In billionths: the median share of the copied weights that has prices. */
export const MIN_PRICED_WEIGHT = 850_000_000n;
/** Rule 9.3. In billionths: option notional in all that a report lists. */
export const MAX_OPTION_SHARE = 500_000_000n;
/** Rule 9.3. In percent: one board of twenty without skill has a manager called better than luck. */
export const LUCK_LEVEL_PCT = 5;

/** Rule 9.4. Quarters that the leaderboard looks back over. */
export const WINDOW_MIN = 8;
export const WINDOW_MAX = 40;
export const WINDOW_DEFAULT = 12;
