import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Cik, QuarterEnd } from '../ids.ts';
import { quartersThrough } from '../quarter.ts';
import { bestByLuck, downsideDeviation, luckAmong, measuresOf, scoreOf, tailOf } from './measure.ts';
import type { FundSeries, LaggedQuarter } from './quarter-series.ts';
import { LAST } from './rank.sample.ts';
import { leaderboardOf } from './rank.ts';

const PERCENT = 10_000_000n;

const lagged = (percents: readonly (number | null)[]): LaggedQuarter[] =>
  percents.map((percent) => {
    const excess = BigInt(percent ?? 0) * PERCENT;
    const counted = percent === null ? null : { gained: excess, excess };
    const bounds =
      percent === null ? { carried: 0n, lost: -100n * PERCENT } : { carried: excess / 2n, lost: excess / 4n };
    const pricedWeight = percent === null ? 0n : 90n * PERCENT;
    return { to: '2018-09-30' as QuarterEnd, counted, ...bounds, pricedWeight };
  });

it('half of the quarters 8 percent above and half 4 below: score 2 × 8/16 ÷ √8 (rule 9.3)', () => {
  expect(measuresOf(lagged([8, -4, 8, -4, 8, -4, 8, -4]))).toEqual({
    score: 0.353553,
    quarters: 8,
    excessPct: 2,
    carriedExcessPct: 1,
    lostExcessPct: 0.5,
    winRatePct: 50,
    downsideDeviationPct: 2.8284,
    maxDrawdownPct: 4,
    pricedWeightPct: 90,
    tStat: 0.8819,
  });
});

it('without a losing quarter the downside is one percent, so the score is finite (rule 9.3)', () => {
  expect(measuresOf(lagged(Array.from({ length: 8 }, () => 3)))).toMatchObject({
    score: 1.5,
    downsideDeviationPct: 0,
    tStat: null,
  });
  expect(scoreOf(0n, 8, 0n)).toBe(0);
});

it('the drawdown is the compounded fall from the highest earlier quarter end (rule 9.3)', () => {
  // 1.1 × 0.9 × 0.8 = 0.792 of a peak of 1.1.
  expect(measuresOf(lagged([10, -10, -20, 5]))?.maxDrawdownPct).toBe(28);
});

it('a quarter that is not counted is in no mean but those of the bounds, and in the median of weights (rule 9.2)', () => {
  const measures = measuresOf(lagged([2, null, null, 4]));
  expect(measures).toMatchObject({ quarters: 2, excessPct: 3, pricedWeightPct: 45 });
  expect(measures).toMatchObject({ carriedExcessPct: 0.75, lostExcessPct: -49.625 });
  expect(measuresOf(lagged([null]))).toBeNull();
});

it('more quarters of the same excess never lower the score; it has the sign of the mean (rule 9.3)', () => {
  const excess = fc.bigInt({ min: -50n * PERCENT, max: 50n * PERCENT });
  fc.assert(
    fc.property(excess, fc.integer({ min: 8, max: 39 }), (mean, n) => {
      const downside = downsideDeviation([mean]);
      const [few, more] = [scoreOf(mean, n, downside), scoreOf(mean, n + 1, downside)];
      expect(Math.abs(more)).toBeGreaterThanOrEqual(Math.abs(few));
      expect(few * Number(mean)).toBeGreaterThanOrEqual(0);
    }),
  );
});

it('of equal means the one with more risk never scores higher, gains and losses alike (rule 9.3)', () => {
  const mean = fc.bigInt({ min: -50n * PERCENT, max: 50n * PERCENT });
  const downside = fc.bigInt({ min: 0n, max: 100n * PERCENT });
  fc.assert(
    fc.property(mean, downside, downside, (excess, risk, more) => {
      expect(scoreOf(excess, 8, risk + more)).toBeLessThanOrEqual(scoreOf(excess, 8, risk));
    }),
  );
});

it('losers rank by what they lost, with score and t statistic of one sign (rule 9.3)', () => {
  const steadyGain = Array.from({ length: 8 }, (_, at) => 2 + (at % 2));
  const managers = {
    steadyGain,
    wildGain: [12, -8, 12, -8, 12, -8, 12, -8],
    smallLoss: [-1, 0, -1, 0, -1, 0, -1, 0],
    steadyLoss: steadyGain.map((percent) => -percent),
    wildLoss: [20, -25, 20, -25, 20, -25, 20, -25],
  };
  const scored = Object.entries(managers).map(([name, percents]) => ({
    name,
    ...measuresOf(lagged(percents)),
  }));
  const ranked = scored.toSorted((a, b) => (b.score ?? 0) - (a.score ?? 0));
  // Divided by its risk, the wild loss scored better than both others.
  expect(ranked.map(({ name }) => name)).toEqual(Object.keys(managers));
  for (const { score = 0, tStat } of scored) expect(Math.sign(score)).toBe(Math.sign(tStat ?? 0));
});

const QUARTERS = 12;
const MANAGERS = 500;
const BOARDS = 60;

/** Normally distributed numbers from a seed (mulberry32, Box and Muller). */
function normals(seed: number): () => number {
  let state = seed;
  const uniform = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
}

const held = quartersThrough(LAST, QUARTERS);

/** A manager whose copy has a mean excess of `skill` and a deviation of 4 percent a quarter. */
function fundOf(n: number, normal: () => number, skill = 0): FundSeries {
  const portfolio = { cik: String(n).padStart(10, '0') as Cik, holdingsCount: 20, lagDays: 45 };
  return {
    cik: portfolio.cik,
    portfolios: [{ ...portfolio, quarterEnd: LAST, top10Weight: 500_000_000n, optionShare: 0n, reasons: [] }],
    lagged: held.map((to) => {
      const excess = BigInt(Math.round((skill + 0.04 * normal()) * 1e9));
      return {
        to,
        counted: { gained: excess, excess },
        carried: excess,
        lost: excess,
        pricedWeight: 1_000_000_000n,
      };
    }),
    disclosed: [],
    turnover: [],
  };
}

const boardOf = (funds: readonly FundSeries[]) =>
  leaderboardOf({ funds, benchmarked: held, latest: LAST, window: QUARTERS });

describe('500 managers without skill over 12 quarters (rule 9.3)', () => {
  const normal = normals(2_026);
  const unskilled = () => Array.from({ length: MANAGERS }, (_, n) => fundOf(n, normal));
  let boards: ReturnType<typeof boardOf>['leaders'][];
  beforeAll(() => {
    boards = Array.from({ length: BOARDS }, () => boardOf(unskilled()).leaders);
  });

  it('about one ranking of twenty has a leader called beyond luck, and no more', () => {
    const called = boards.filter((leaders) => leaders.some(({ isBeyondLuck }) => isBeyondLuck));
    expect(called.length).toBeGreaterThan(0);
    expect(called.length).toBeLessThanOrEqual(6);
  });

  it('the best t statistic exceeds the one given for luck in about half of the rankings', () => {
    const above = boards.filter((leaders) =>
      leaders.some(({ tStat, luckTStat }) => (tStat ?? 0) > (luckTStat ?? 0)),
    );
    expect(above.length / BOARDS).toBeGreaterThan(0.35);
    expect(above.length / BOARDS).toBeLessThan(0.65);
  });

  it('the first of every ranking is far above 2, which for a single manager would be no luck', () => {
    for (const [first] of boards) expect(first?.tStat).toBeGreaterThan(2);
  });

  it('one manager with a steady excess among them is found', () => {
    const skilled = fundOf(MANAGERS, () => normal() / 4, 0.04);
    const { leaders } = boardOf([...unskilled(), skilled]);
    expect(leaders.find(({ cik }) => cik === skilled.cik)?.isBeyondLuck).toBe(true);
  });
});

it.each([
  [1, 12.7062, 0.025],
  [2, 4.3027, 0.025],
  [3, 3.1824, 0.025],
  [7, 2.3646, 0.025],
  [11, 1.7959, 0.05],
  [11, 4.437, 0.0005],
  [39, 2.0227, 0.025],
  [39, -2.0227, 0.975],
])("Student's t of %i degrees is at least %d with the probability of the printed tables", (degrees, t, p) => {
  expect(Math.abs(tailOf(t, degrees) / p - 1)).toBeLessThan(1e-3);
});

it('the same t statistic is worth less among more managers, and more over more quarters (rule 9.3)', () => {
  const probability = (managers: number, quarters: number) =>
    luckAmong(managers)(4.1, quarters).luckProbabilityPct ?? 0;
  expect(probability(1, 12)).toBeLessThan(0.1);
  expect(probability(2_000, 12)).toBeGreaterThan(80);
  expect(probability(2_000, 40)).toBeLessThan(probability(2_000, 12));
  expect(bestByLuck(2_000, 12)).toBeCloseTo(4.66, 1);
  expect(bestByLuck(20, 12)).toBeCloseTo(2.02, 1);
});

it('without a t statistic or a manager nothing is called beyond luck (rule 9.3)', () => {
  expect(luckAmong(5)(null, 12)).toMatchObject({ luckProbabilityPct: null, isBeyondLuck: false });
  expect(luckAmong(5)(-3, 12)).toMatchObject({ isBeyondLuck: false });
  expect([bestByLuck(0, 12), bestByLuck(5, 1)]).toEqual([null, null]);
});
