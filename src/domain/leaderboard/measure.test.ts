import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { QuarterEnd } from '../ids.ts';
import { downsideDeviation, measuresOf, scoreOf } from './measure.ts';
import type { LaggedQuarter } from './series.ts';

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
