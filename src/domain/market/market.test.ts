import { expect, it } from 'vitest';
import type { Cusip, IsoDate, QuarterEnd } from '../ids.ts';
import { filesOf, priced } from './market.sample.ts';
import { marketOf, pricePath } from './market.ts';

/** Rows of the files of December 2022 to March 2023. */
const LINDE = [
  priced('G5494J103', 'LIN', { '2023-02-28': 344.48, '2023-03-02': 350.05 }, 'LINDE PLC SHS (IRL)'),
  priced('G5494J103', 'LINXXXX', { '2023-03-03': 350.05, '2023-03-08': 350.05 }, 'LINDE PLC SHS (IRL)'),
  priced('G54950103', 'LINZZZZ', { '2023-03-02': 0.01 }, 'LINDE PLC NEW SHS (IRL)'),
  priced('G54950103', 'LIN', { '2023-03-03': 351.75, '2023-03-06': 362.38 }, 'LINDE PLC NEW SHS (IRL)'),
];

const successionsOf = (...securities: readonly ReturnType<typeof priced>[]) =>
  marketOf(filesOf(...securities)).successions();

it('a symbol that goes on under another CUSIP is a succession, whatever placeholders say meanwhile (rule 4.8)', () => {
  expect(successionsOf(...LINDE)).toMatchObject([
    {
      symbol: 'LIN',
      from: 'G5494J103',
      to: 'G54950103',
      names: ['LINDE PLC SHS (IRL)', 'LINDE PLC NEW SHS (IRL)'],
      last: { day: '2023-03-02', price: 350.05, file: 'cnsfails202303a.zip' },
      first: { day: '2023-03-03', price: 351.75, row: 1 },
    },
  ]);
});

it('a symbol that is seen under both CUSIPs at once is none (rule 4.8)', () => {
  const old = priced('06747R477', 'VXX', { '2023-03-07': 10.71, '2023-03-09': 10.7 });
  expect(successionsOf(old, priced('06748F324', 'VXX', { '2023-03-09': 43.05 }))).toEqual([]);
  expect(successionsOf(old, priced('06748F324', 'VXX', { '2023-03-10': 43.05 }))).toHaveLength(1);
});

it('three CUSIPs of a symbol are two successions (rule 4.8)', () => {
  const symbols = ['G6096M106', 'G6096M114', 'G6096M122'].map((cusip, at) =>
    priced(cusip, 'APM', { [`2023-0${at + 1}-08`]: 0.5 + at }),
  );
  expect(successionsOf(...symbols).map(({ from, to }) => [from, to])).toEqual([
    ['G6096M106', 'G6096M114'],
    ['G6096M114', 'G6096M122'],
  ]);
});

it('a placeholder has no price of its own (rule 4.6)', () => {
  const market = marketOf(filesOf(...LINDE));
  const days = market.pricesOf('G54950103' as Cusip).map(({ day, price }) => [day, price]);
  expect(days).toEqual([
    ['2023-03-03', 351.75],
    ['2023-03-06', 362.38],
  ]);
});

it('the price of a day is that of the last week, or none (rule 4.3)', () => {
  const market = marketOf(filesOf(...LINDE));
  const on = (day: string) => market.priceOn('G54950103' as Cusip, day as IsoDate);
  expect([on('2023-03-02'), on('2023-03-05'), on('2023-03-13'), on('2023-03-14')]).toEqual([
    null,
    351.75,
    362.38,
    null,
  ]);
});

it('the order of files and of their securities does not matter (rule 4.1)', () => {
  const renamed = priced('G54950103', 'LIN', { '2023-03-20': 350 }, 'LINDE PLC');
  const files = filesOf(...LINDE, renamed, priced('G5494J103', 'LIN', { '2023-01-20': 320 }, 'LINDE'));
  const reversed = files.toReversed().map((file) => ({ ...file, securities: file.securities.toReversed() }));
  const [one, other] = [marketOf(files), marketOf(reversed)];
  expect(files).toHaveLength(4);
  expect(other.successions()).toEqual(one.successions());
  for (const cusip of one.cusips()) expect(other.pricesOf(cusip)).toEqual(one.pricesOf(cusip));
});

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
