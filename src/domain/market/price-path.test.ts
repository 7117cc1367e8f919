import { expect, it } from 'vitest';
import type { Cusip, QuarterEnd } from '../ids.ts';
import { filesOf, priced } from './market.sample.ts';
import { marketOf } from './market.ts';
import { pricePath } from './price-path.ts';

const QUARTER = '2022-12-31' as QuarterEnd;
const CUSIP = '09073M104' as Cusip;
type Ends = readonly [before: number | null, after: number | null];
const pathOf = (prices: Readonly<Record<string, number>>, [before, after]: Ends) =>
  pricePath(marketOf(filesOf(priced(CUSIP, 'TECH', prices))).pricesOf(CUSIP), QUARTER, { before, after });
const jumpsOf = (prices: Readonly<Record<string, number>>) =>
  pathOf(prices, [null, null]).jumps.map(({ ratio }) => Number(ratio.toFixed(3)));

it.each([
  ['a split between two days', { '2022-12-01': 339.96, '2022-12-02': 86.41 }, [3.934]],
  ['a steady price', { '2022-12-01': 86.41, '2022-12-02': 83.9, '2022-12-05': 84.2 }, []],
  ['ten days apart', { '2022-11-21': 340, '2022-12-01': 85 }, [4]],
  ['eleven days apart', { '2022-11-20': 340, '2022-12-01': 85 }, []],
  // A row has the price of the day before, and who counts shares after which day is not the same everywhere.
  ['over the end of the quarter', { '2022-12-30': 340, '2023-01-04': 85 }, [4]],
  ['in the first days of the next one', { '2023-01-03': 340, '2023-01-04': 85 }, [4]],
  ['later in the next one', { '2023-01-04': 340, '2023-01-05': 85 }, []],
  ['over the end of the quarter before', { '2022-09-30': 340, '2022-10-03': 85 }, [4]],
  ['in the quarter before', { '2022-09-29': 340, '2022-09-30': 85 }, []],
])('%s (rule 4.6)', (_, prices, jumps) => {
  expect(jumpsOf(prices)).toEqual(jumps);
});

const STEADY = { '2022-10-10': 90, '2022-11-10': 95, '2022-12-12': 88 };

it.each<[string, Readonly<Record<string, number>>, Ends, Readonly<Record<string, boolean>>]>([
  ['a steady price hides no split', STEADY, [92, 85], { 2: false, 1.5: false, 0.1: false }],
  ['nor does a slow fall by half', { '2022-10-20': 75, '2022-11-20': 60 }, [92, 48], { 2: false }],
  ['a gap may hide one by what the price moved in it', { '2022-10-20': 90 }, [92, 45], { 2: true, 4: false }],
  [
    'without a price in the quarter any may be hidden',
    { '2022-09-20': 90 },
    [92, 90],
    { 2: true, 0.1: true },
  ],
  ['and so without a price at an end', STEADY, [null, 85], { 2: true }],
])('%s (rule 4.6)', (_, prices, ends, hidden) => {
  const { mayHide } = pathOf(prices, ends);
  const found = Object.keys(hidden).map((factor) => [factor, mayHide(Number(factor))]);
  expect(Object.fromEntries(found)).toEqual(hidden);
});

it.each([
  ['in the last days', { '2022-12-14': 150 }, 2],
  ['twenty days before the end', { '2022-12-11': 150 }, 2],
  ['earlier', { '2022-12-10': 150 }, null],
  ['after the end', { '2023-01-03': 150 }, null],
])('the last price %s is compared with that of the reports (rule 4.6)', (_, prices, ratio) => {
  expect(pathOf(prices, [null, 75]).endRatio).toBe(ratio);
});
