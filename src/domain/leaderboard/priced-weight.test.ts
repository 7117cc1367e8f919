import { expect, it } from 'vitest';
import type { Cusip } from '../ids.ts';
import { BENCHMARK } from './method.ts';
import type { FundSeries } from './quarter-series.ts';
import { STEADY, sampleQuarters, sampleSeries } from './rank.sample.ts';

const COPIER = '0000000009';
const UNPRICED = 'Z00000009' as Cusip;
const WHOLE = 1_000_000_000n;

/** A copier of one priced security, with this many billionths of the weights, and of one without a price. */
function seriesOf(pricedWeight: bigint): FundSeries {
  const copied = [
    { cusip: STEADY[0] ?? BENCHMARK.cusip, weight: pricedWeight },
    { cusip: UNPRICED, weight: WHOLE - pricedWeight },
  ];
  const quarters = sampleQuarters().map((quarter) => ({
    ...quarter,
    portfolios: quarter.portfolios.map((portfolio) =>
      portfolio.cik === COPIER ? { ...portfolio, copied } : portfolio,
    ),
  }));
  const series = sampleSeries(quarters)
    .funds()
    .find(({ cik }) => cik === COPIER);
  if (series === undefined) throw new Error('the copier has a series');
  return series;
}

it('a quarter counts if at least half of the weights is priced, and not a billionth below (rule 9.2)', () => {
  const [enough, less] = [seriesOf(WHOLE / 2n), seriesOf(WHOLE / 2n - 1n)];
  expect(enough.lagged).toHaveLength(8);
  expect(enough.disclosed).toHaveLength(9);
  expect(enough.lagged.every(({ counted }) => counted !== null)).toBe(true);
  expect(less.lagged.map(({ counted, pricedWeight }) => [counted, pricedWeight])).toEqual(
    Array.from({ length: 8 }, () => [null, 499_999_999n]),
  );
  expect(less.disclosed).toEqual([]);
});
