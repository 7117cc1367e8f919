import { z } from 'zod';
import { bestByLuck, INELIGIBLE, INELIGIBLE_REASONS } from '../../domain/leaderboard/measure.ts';
import {
  BENCHMARK,
  DISCLAIMER,
  METHOD_DESCRIPTION,
  METHOD_LIMITATIONS,
  METHOD_VERSION,
} from '../../domain/leaderboard/method.ts';
import {
  COPIED_POSITIONS,
  LUCK_LEVEL_PCT,
  MIN_QUARTERS,
  POSITION_CAP_PCT,
  WINDOW_DEFAULT,
  WINDOW_MAX,
  WINDOW_MIN,
} from '../../domain/leaderboard/thresholds.ts';
import { type Covered, coveredShape } from '../../domain/wire/limitation.ts';
import { type BoardPage, type NamedLeader, readBoard } from '../../store/publish/leaderboard.ts';
import { defineEndpoint } from '../endpoint/endpoint.ts';
import { limitParam, linkHeader, pageParam, paginationOf, paginationShape } from '../endpoint/page.ts';

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
  luck: z
    .strictObject({
      managers: z.int().describe('Managers that are ranked'),
      quarters: z.int().describe('As benchmark_quarters: no manager can have more'),
      t_stat: z
        .number()
        .nullable()
        .describe(
          'The t statistic that the best of them exceeds by chance in half of all cases, if none has skill. Null when no manager is ranked',
        ),
      level_pct: z
        .literal(LUCK_LEVEL_PCT)
        .describe('Percent of rankings without any skill in which some manager is called beyond luck'),
    })
    .describe('What chance alone gives to the best of so many managers'),
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
    .describe(
      'Mean excess × n/(n+8) ÷ downside deviation of the excess, at least 1 percent. A negative mean is multiplied by that deviation, in percent, instead. 6 decimals',
    ),
  lagged_excess_return_pct: pct(
    "mean over the counted quarters of the lagged copy's return minus the benchmark's, over priced positions; not annualised",
  ),
  lagged_excess_return_carried_pct: pct(
    'the same with unpriced positions at their last price, so they earn nothing, over all quarters held, counted or not',
  ),
  lagged_excess_return_lost_pct: pct(
    'the same over all quarters held, but positions that had a price when they were bought and have none at the end lose everything: the bound downwards',
  ),
  win_rate_pct: pct('share of the counted quarters with an excess above zero'),
  quarters: z
    .int()
    .describe('Counted quarters: the report was public in time, and half of the copied weights have a price'),
  quarters_left_out: z
    .int()
    .describe(
      'Quarters of the window with a report that are not counted; the limitations of the line say why',
    ),
  t_stat: z
    .number()
    .nullable()
    .describe(
      'Of the mean excess against zero. Compare it with `luck_t_stat`. Null when all excesses are equal',
    ),
  luck_t_stat: z
    .number()
    .nullable()
    .describe(
      'The t statistic that the best of as many managers without skill exceeds by chance in half of all cases, over as many quarters as this line. 4 decimals',
    ),
  luck_probability_pct: pct(
    'probability that the best of as many managers without skill has this t statistic or a higher one. Null when `t_stat` is null',
  ).nullable(),
  beyond_luck: z
    .boolean()
    .describe(
      `True when \`luck_probability_pct\` is below ${LUCK_LEVEL_PCT}. Otherwise the result is no evidence of skill`,
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
const leaderboardBody = z.strictObject({
  data: z.strictObject({
    as_of: z.string(),
    coverage_status: coveredShape.coverage_status,
    method,
    leaders: z.array(leader),
    eligibility,
    pagination: paginationShape,
    disclaimer: z.string(),
  }),
});

export const copyLeaderboard = defineEndpoint({
  name: 'copy.leaderboard',
  path: '/copy/leaderboard',
  title: 'Copy leaderboard',
  summary: 'Managers ranked by what a copier of their public reports would have earned over the benchmark',
  description:
    'Historical copyability by the method described in the answer. The copier buys the largest positions of the report that was public one quarter after its period, at that quarter end, and holds them for a quarter. The benchmark has the same implied prices. Ordered by `score`. With many managers and few quarters, some look good by luck: `beyond_luck` says whether a result is more than chance gives to the best of all that are ranked. With too little history the list is empty, and `eligibility.reason` says why.',
  details:
    'Filings of a later date are not used. Ties of the score are ordered by `cik` ascending. `eligibility.reasons` counts the managers that fail each rule. Before the first computation the answer is 503 and not charged.',
  example: { limit: 5 },
  digest: {
    facts: ['as_of', 'coverage_status', 'method.version', 'eligibility', 'disclaimer'],
    rows: {
      at: 'leaders',
      columns: [
        'rank',
        'actor.name',
        'actor.cik',
        'score',
        'lagged_excess_return_pct',
        'win_rate_pct',
        'quarters',
        'limitations',
      ],
    },
  },
  credits: 1,
  params: {},
  query: {
    window_quarters: z
      .int()
      .min(WINDOW_MIN)
      .max(WINDOW_MAX)
      .default(WINDOW_DEFAULT)
      .describe('Length of the window in quarters'),
    page: pageParam,
    limit: limitParam(25, 100),
  },
  output: leaderboardBody,
  async handler({ db, siteUrl }, { window_quarters: window, page, limit }) {
    const board = await readBoard(db, window, { from: (page - 1) * limit, count: limit });
    const { reason, benchmarkQuarters, ...counts } = board.eligibility;
    const pagination = paginationOf(page, limit, board.total);
    const data = {
      as_of: board.asOf,
      coverage_status: coverageOf(benchmarkQuarters, window),
      method: methodOf(board),
      leaders: board.leaders.map(itemOf),
      eligibility: { ...counts, benchmark_quarters: benchmarkQuarters, reason },
      pagination,
      disclaimer: DISCLAIMER,
    };
    const address = `${siteUrl}/v1/copy/leaderboard`;
    const headers = linkHeader(address, { window_quarters: window }, pagination);
    return { kind: 'body', body: { data }, headers };
  },
});

/** Of the window's quarters, those with prices. */
function coverageOf(quarters: number, window: number): Covered['coverage_status'] {
  if (quarters === 0) return 'not_covered';
  return quarters < window ? 'partial' : 'covered';
}

function methodOf({ window, from, to, eligibility }: BoardPage): z.input<typeof method> {
  const { eligible: managers, benchmarkQuarters: quarters } = eligibility;
  return {
    version: METHOD_VERSION,
    description: METHOD_DESCRIPTION,
    entry_basis: 'quarter_end',
    min_quarters: MIN_QUARTERS,
    benchmark: { ...BENCHMARK },
    window: { quarters: window, from, to },
    portfolio: { positions: COPIED_POSITIONS, position_cap_pct: Number(POSITION_CAP_PCT) },
    luck: { managers, quarters, t_stat: bestByLuck(managers, quarters), level_pct: LUCK_LEVEL_PCT },
    limitations: [...METHOD_LIMITATIONS],
  };
}

function itemOf(found: NamedLeader): z.input<typeof leader> {
  const { cik, name, slug, manager } = found;
  return {
    rank: found.rank,
    actor_type: 'fund',
    actor: { cik, name, slug, manager },
    score: found.score,
    lagged_excess_return_pct: found.excessPct,
    lagged_excess_return_carried_pct: found.carriedExcessPct,
    lagged_excess_return_lost_pct: found.lostExcessPct,
    win_rate_pct: found.winRatePct,
    quarters: found.quarters,
    quarters_left_out: found.quartersLeftOut,
    t_stat: found.tStat,
    luck_t_stat: found.luckTStat,
    luck_probability_pct: found.luckProbabilityPct,
    beyond_luck: found.isBeyondLuck,
    downside_deviation_pct: found.downsideDeviationPct,
    turnover_pct: found.turnoverPct,
    top10_weight_pct: found.top10WeightPct,
    holdings_count: found.holdingsCount,
    priced_weight_pct: found.pricedWeightPct,
    max_drawdown_pct: found.maxDrawdownPct,
    disclosed_book_return_pct: found.disclosedReturnPct,
    latest_quarter: found.latestQuarter,
    filing_lag_days_median: found.filingLagDaysMedian,
    limitations: [...found.limitations],
  };
}
