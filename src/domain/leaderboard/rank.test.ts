import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Cik } from '../ids.ts';
import { BENCHMARK } from './method.ts';
import type { LeaderboardQuarter } from './quarter-series.ts';
import {
  boardOf,
  heldRow,
  MANAGERS,
  type SampleManager,
  STEADY,
  sampleQuarters,
  UP_AND_DOWN,
} from './rank.sample.ts';
import type { leaderboardOf } from './rank.ts';

const leaderOf = (board: ReturnType<typeof leaderboardOf>, cik: string) =>
  board.leaders.find((leader) => leader.cik === cik);
const withManagers = (...more: SampleManager[]) => sampleQuarters([...MANAGERS, ...more]);

describe('ten quarters worked by hand', () => {
  const board = boardOf(sampleQuarters());

  it('ranks the steady copy, 1 percent below or 3 above, over the copy at -4 and 8', () => {
    expect(leaderOf(board, '0000000009')).toMatchObject({
      rank: 1,
      // (3 - 1) / 2 = 1; half of it; over the floor of one percent.
      score: 0.5,
      excessPct: 1,
      winRatePct: 50,
      quarters: 8,
    });
    expect(leaderOf(board, '0000000008')).toMatchObject({
      score: 0.353553,
      excessPct: 2,
      carriedExcessPct: 2,
      winRatePct: 50,
      downsideDeviationPct: 2.8284,
      maxDrawdownPct: 2,
      pricedWeightPct: 100,
      tStat: 0.8819,
      turnoverPct: 0,
      top10WeightPct: 100,
      holdingsCount: 5,
      disclosedReturnPct: 4,
      latestQuarter: '2019Q1',
      limitations: ['Only 8 quarters are counted.'],
    });
  });

  it('counts all managers, and names the first and the last quarter that a copier holds', () => {
    expect(board).toMatchObject({ from: '2017-06-30', to: '2019-03-31' });
    expect(board.eligibility).toMatchObject({
      eligible: 5,
      ineligible: 0,
      benchmarkQuarters: 8,
      reason: null,
    });
  });

  it('a longer window counts the quarters that exist', () => {
    expect(leaderOf(boardOf(sampleQuarters(), 40), '0000000008')).toMatchObject({
      quarters: 8,
      excessPct: 2,
    });
  });
});

describe('no look-ahead', () => {
  it('a late report leaves its quarter out and changes no other manager (rule 9.1)', () => {
    const late: SampleManager = {
      cik: '0000000007',
      cusips: STEADY,
      reasons: (at) => (at === 3 ? ['late'] : []),
    };
    const [board, before] = [boardOf(withManagers(late)), boardOf(sampleQuarters())];
    expect(leaderOf(board, '0000000007')).toBeUndefined();
    expect(board.eligibility.reasons).toMatchObject({ too_few_quarters: 1 });
    expect(leaderOf(board, '0000000008')).toEqual(leaderOf(before, '0000000008'));
  });

  it('the report of a quarter earns nothing in that quarter: it is held one quarter later (rule 9.1)', () => {
    const quarters = sampleQuarters();
    const changed = quarters.map((quarter, at) =>
      at < 8
        ? quarter
        : { ...quarter, portfolios: quarter.portfolios.map((portfolio) => ({ ...portfolio, copied: [] })) },
    );
    const scores = (of: readonly LeaderboardQuarter[]) =>
      boardOf(of).leaders.map(({ cik, score }) => [cik, score]);
    expect(scores(changed)).toEqual(scores(quarters));
  });
});

describe('too little', () => {
  it('without any report the list is empty and says why (rule 9.3)', () => {
    expect(boardOf([])).toMatchObject({
      leaders: [],
      eligibility: {
        eligible: 0,
        ineligible: 0,
        reason: 'No manager has a report with holdings in the window.',
      },
    });
  });

  it('without a priced benchmark no manager has a quarter (rule 9.3)', () => {
    const without = MANAGERS.map((manager) => ({
      ...manager,
      cusips: manager.cusips.filter((cusip) => cusip !== BENCHMARK.cusip),
    }));
    const { leaders, eligibility } = boardOf(sampleQuarters(without));
    expect(leaders).toEqual([]);
    expect(eligibility).toMatchObject({ ineligible: 5, benchmarkQuarters: 0 });
    expect(eligibility.reasons).toMatchObject({ too_few_quarters: 5, low_priced_weight: 0 });
    expect(eligibility.reason).toContain('0 of the window');
  });

  it('one quarter without a benchmark is one quarter less for all, and does not empty the list (rule 9.3)', () => {
    const quarters = sampleQuarters();
    const gap = quarters.map((quarter, at) =>
      at === 0
        ? { ...quarter, prices: new Map([...quarter.prices].filter(([cusip]) => cusip !== BENCHMARK.cusip)) }
        : quarter,
    );
    expect(boardOf(gap).leaders).toHaveLength(5);
  });

  it('a manager that stopped filing stays in the counts (rule 9.3)', () => {
    const stopped = { cik: '0000000006', cusips: UP_AND_DOWN, misses: (at: number) => at === 9 };
    const { leaders, eligibility } = boardOf(withManagers(stopped));
    expect(leaders).toHaveLength(5);
    expect(eligibility.reasons).toMatchObject({ not_current: 1, too_few_quarters: 0 });
  });
});

describe('the same inputs give the same ranking', () => {
  it('equal scores are in the order of the CIKs (rule 9.3)', () => {
    const twins = ['0000000021', '0000000019', '0000000020'].map((cik) => ({ cik, cusips: STEADY }));
    const top = boardOf(sampleQuarters([...twins, ...MANAGERS])).leaders.slice(0, 4);
    expect(top.map(({ rank, cik }) => [rank, cik])).toEqual([
      [1, '0000000009'],
      [2, '0000000019'],
      [3, '0000000020'],
      [4, '0000000021'],
    ]);
  });

  it('all values times a thousand change no digit (rule 9.2)', () => {
    expect(boardOf(sampleQuarters(MANAGERS, { scale: 1_000n }))).toEqual(boardOf(sampleQuarters()));
  });

  it('rows and managers in any order change no digit (rule 9.2)', () => {
    const expected = JSON.stringify(boardOf(sampleQuarters()));
    fc.assert(
      fc.property(fc.shuffledSubarray([...MANAGERS], { minLength: MANAGERS.length }), (managers) => {
        const shuffled = sampleQuarters(managers, { arrange: (rows) => rows.toReversed() });
        expect(JSON.stringify(boardOf(shuffled))).toBe(expected);
      }),
      { numRuns: 20 },
    );
  });
});

it('a security without a price at the end lowers the priced weight and the carried excess (rule 9.2)', () => {
  const [gone = BENCHMARK.cusip] = UP_AND_DOWN;
  const quarters = sampleQuarters().map((quarter, at) => {
    const kept = [...quarter.prices].filter(([cusip]) => at % 2 === 0 || cusip !== gone);
    return { ...quarter, prices: new Map(kept) };
  });
  const { eligibility, leaders } = boardOf(quarters);
  expect(eligibility.reasons.low_priced_weight).toBe(1);
  expect(leaders.map(({ cik }) => cik)).not.toContain('0000000008');
  const three = leaderOf(boardOf(quarters), '0000000001');
  expect(three?.pricedWeightPct).toBeLessThan(100);
  expect(three?.carriedExcessPct).not.toBe(three?.excessPct);
});

it('the sample has the prices that its filers imply', () => {
  const [first] = sampleQuarters();
  expect(first?.prices.get(STEADY[0] ?? BENCHMARK.cusip)).toMatchObject({
    filers: 4,
    compared: 4,
    splitLike: 0,
  });
  expect(heldRow('0000000001' as Cik, BENCHMARK.cusip, 1n).amount).toBe(1_000_000_000n);
});
