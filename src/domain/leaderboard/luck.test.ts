import { describe, expect, it } from 'vitest';
import type { Cik } from '../ids.ts';
import { quartersThrough } from '../quarter.ts';
import { bestByLuck, luckAmong, tailOf } from './luck.ts';
import { LAST } from './rank.sample.ts';
import { leaderboardOf } from './rank.ts';
import type { FundSeries } from './series.ts';

const QUARTERS = 12;
const MANAGERS = 2_000;
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

describe('2,000 managers without skill over 12 quarters (rule 9.3)', () => {
  const normal = normals(2_026);
  const unskilled = () => Array.from({ length: MANAGERS }, (_, n) => fundOf(n, normal));
  const boards = Array.from({ length: BOARDS }, () => boardOf(unskilled()).leaders);

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
