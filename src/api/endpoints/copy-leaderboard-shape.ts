import { z } from 'zod';
import { INELIGIBLE, INELIGIBLE_REASONS } from '../../domain/leaderboard/eligibility.ts';
import { COPIED_POSITIONS, POSITION_CAP_PCT } from '../../domain/leaderboard/thresholds.ts';
import { paginationShape } from '../endpoint/page.ts';

const pct = (meaning: string) => z.number().describe(`Percent, 4 decimals: ${meaning}`);

const method = z.strictObject({
  version: z.string().describe('Changes with the method. Scores of different versions are not comparable'),
  description: z.string(),
  entry_basis: z
    .literal('quarter_end')
    .describe('Copied positions are bought and valued at implied quarter-end prices'),
  min_quarters: z.int().describe('Quarters that a manager needs within the window'),
  benchmark: z
    .strictObject({ ticker: z.string(), cusip: z.string() })
    .describe('Its return over the same quarters, by implied prices'),
  window: z.strictObject({
    quarters: z.int(),
    from: z.string().describe('End of the first quarter that a copier holds'),
    to: z.string().describe('End of the last one: the latest quarter whose reports were all due by as_of'),
  }),
  portfolio: z.strictObject({
    positions: z.literal(COPIED_POSITIONS).describe('Largest equity positions that are copied'),
    position_cap_pct: z
      .literal(Number(POSITION_CAP_PCT))
      .describe(
        'Maximum share of one position in the copied value; the weights are then scaled to a sum of one',
      ),
  }),
  limitations: z.array(z.string()).describe('What the method does not cover'),
});

const actor = z.strictObject({
  cik: z.string(),
  name: z.string(),
  slug: z.string(),
  manager: z.string().nullable(),
});

const leader = z.strictObject({
  rank: z.int().describe('By score descending, ties by CIK ascending'),
  actor_type: z.literal('fund'),
  actor,
  score: z
    .number()
    .describe('Mean excess × n/(n+8) ÷ downside deviation of the excess, at least 1 percent; 6 decimals'),
  lagged_excess_return_pct: pct(
    "mean over the counted quarters of the lagged copy's return minus the benchmark's, over priced positions; not annualised",
  ),
  lagged_excess_return_carried_pct: pct(
    'the same with unpriced positions at their last price, so they earn nothing',
  ),
  win_rate_pct: pct('share of the counted quarters with an excess above zero'),
  quarters: z
    .int()
    .describe('Counted quarters: the report was public in time, and half of the copied weights have a price'),
  t_stat: z
    .number()
    .nullable()
    .describe(
      'Of the mean excess against zero; below about 2 it may be luck. Null when all excesses are equal',
    ),
  downside_deviation_pct: pct('root of the mean square of the negative excesses over all counted quarters'),
  turnover_pct: pct(
    'mean of half the sum of weight changes between the copied portfolios of adjacent quarters',
  ).nullable(),
  top10_weight_pct: pct('share of the ten largest positions in the equity of the latest report'),
  holdings_count: z.int().describe('Equity positions in the latest report'),
  priced_weight_pct: pct('median over the quarters of the copied weight with a price at both ends'),
  max_drawdown_pct: pct(
    'largest fall of the compounded lagged copy from an earlier quarter end, as a positive number',
  ),
  disclosed_book_return_pct: pct(
    'mean return of the same portfolio in the quarter right after its period, before it was public, so no copier could have earned it',
  ).nullable(),
  latest_quarter: z.string(),
  filing_lag_days_median: z.number().describe("Median of the days from a quarter's end to its first filing"),
  limitations: z.array(z.string()).describe('Limitations of this line'),
});

const reasons = z.strictObject(
  Object.fromEntries(
    INELIGIBLE_REASONS.map((reason) => [reason, z.int().describe(INELIGIBLE[reason])]),
  ) as Record<(typeof INELIGIBLE_REASONS)[number], z.ZodInt>,
);

const eligibility = z.strictObject({
  eligible: z.int(),
  ineligible: z.int().describe('Managers with a report in the window that are not ranked'),
  reasons: reasons.describe('Managers by the rule that they fail; a manager may fail several'),
  benchmark_quarters: z
    .int()
    .describe('Quarters of the window with prices of the benchmark: the maximum for every manager'),
  reason: z.string().nullable().describe('Why no manager is ranked; null when one is'),
});

/** Rule 9.4, with the figures that put the ranking in context. */
export const leaderboardBody = z.strictObject({
  data: z.strictObject({
    as_of: z.string(),
    method,
    leaders: z.array(leader),
    eligibility,
    pagination: paginationShape,
    disclaimer: z.string(),
  }),
});

export type LeaderboardMethod = z.input<typeof method>;
export type LeaderItem = z.input<typeof leader>;
