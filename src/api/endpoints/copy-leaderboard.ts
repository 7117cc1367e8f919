import { z } from 'zod';
import {
  BENCHMARK,
  DISCLAIMER,
  METHOD_DESCRIPTION,
  METHOD_LIMITATIONS,
  METHOD_VERSION,
} from '../../domain/leaderboard/method.ts';
import {
  COPIED_POSITIONS,
  MIN_QUARTERS,
  POSITION_CAP_PCT,
  WINDOW_DEFAULT,
  WINDOW_MAX,
  WINDOW_MIN,
} from '../../domain/leaderboard/thresholds.ts';
import { type BoardPage, type NamedLeader, readBoard } from '../../store/publish/leaderboard.ts';
import { defineEndpoint } from '../endpoint/endpoint.ts';
import { limitParam, linkHeader, pageParam, paginationOf } from '../endpoint/page.ts';
import { type LeaderboardMethod, type LeaderItem, leaderboardBody } from './copy-leaderboard-shape.ts';

export const copyLeaderboard = defineEndpoint({
  name: 'copy.leaderboard',
  path: '/copy/leaderboard',
  title: 'Copy leaderboard',
  summary: 'Managers ranked by what a copier of their public reports would have earned over the benchmark',
  description:
    'Historical copyability by the method described in the answer. The copier buys the largest positions of the report that was public one quarter after its period, at that quarter end, and holds them for a quarter. The benchmark has the same implied prices. Filings of a later date are not used. Ordered by `score` descending, ties by `cik` ascending.\n\nWith too little history the list is empty; `eligibility.reason` says why, and `eligibility.reasons` counts the managers that fail each rule. Read `quarters` and `t_stat` with the score: with many managers and few quarters, some look good by luck. Before the first computation the answer is 503 and not charged.',
  example: { limit: 5 },
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

function methodOf({ window, from, to }: BoardPage): LeaderboardMethod {
  return {
    version: METHOD_VERSION,
    description: METHOD_DESCRIPTION,
    entry_basis: 'quarter_end',
    min_quarters: MIN_QUARTERS,
    benchmark: { ...BENCHMARK },
    window: { quarters: window, from, to },
    portfolio: { positions: COPIED_POSITIONS, position_cap_pct: Number(POSITION_CAP_PCT) },
    limitations: [...METHOD_LIMITATIONS],
  };
}

function itemOf(leader: NamedLeader): LeaderItem {
  const { cik, name, slug, manager } = leader;
  return {
    rank: leader.rank,
    actor_type: 'fund',
    actor: { cik, name, slug, manager },
    score: leader.score,
    lagged_excess_return_pct: leader.excessPct,
    lagged_excess_return_carried_pct: leader.carriedExcessPct,
    win_rate_pct: leader.winRatePct,
    quarters: leader.quarters,
    t_stat: leader.tStat,
    downside_deviation_pct: leader.downsideDeviationPct,
    turnover_pct: leader.turnoverPct,
    top10_weight_pct: leader.top10WeightPct,
    holdings_count: leader.holdingsCount,
    priced_weight_pct: leader.pricedWeightPct,
    max_drawdown_pct: leader.maxDrawdownPct,
    disclosed_book_return_pct: leader.disclosedReturnPct,
    latest_quarter: leader.latestQuarter,
    filing_lag_days_median: leader.filingLagDaysMedian,
    limitations: [...leader.limitations],
  };
}
