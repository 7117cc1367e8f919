import { expect, it } from 'vitest';
import type { Cusip, IsoDate } from '../ids.ts';
import { filesOf, priced, pricedDaily } from './market.sample.ts';
import { marketOf } from './market.ts';

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

const HOLIDAYS = ['2022-12-26', '2023-01-02', '2023-01-16', '2023-02-20'];
const EVERY_DAY = pricedDaily('78462F103', '2022-12-01', HOLIDAYS);

it.each<[string, Readonly<Record<string, number>>, string | null]>([
  [
    'GE HealthCare is new',
    { '2023-01-05': 60.49, '2023-01-06': 59, '2023-01-09': 58.95, '2023-01-10': 58.1 },
    '2023-01-05',
  ],
  [
    'MasterBrand, from a Friday on',
    { '2022-12-16': 7.7, '2022-12-19': 9.3, '2022-12-20': 8.47, '2022-12-21': 7.5 },
    '2022-12-16',
  ],
  [
    'BullFrog AI, from before a holiday on',
    { '2023-02-16': 5.02, '2023-02-17': 5.02, '2023-02-21': 4.76, '2023-02-22': 4.2 },
    '2023-02-16',
  ],
  [
    'ExlService has rows now and then',
    { '2023-01-03': 169.43, '2023-01-05': 169.75, '2023-01-09': 169.51, '2023-01-12': 172.16 },
    null,
  ],
  [
    'what is first seen with the first files may be old',
    { '2022-12-15': 60, '2022-12-16': 59, '2022-12-19': 58, '2022-12-20': 58 },
    null,
  ],
  [
    'so may be what costs little',
    { '2023-01-05': 0.6, '2023-01-06': 0.59, '2023-01-09': 0.58, '2023-01-10': 0.58 },
    null,
  ],
])('%s (rule 4.9)', (_, prices, day) => {
  const market = marketOf(filesOf(EVERY_DAY, priced('36266G107', 'GEHC', prices)));
  expect(market.listedOn('36266G107' as Cusip)).toBe(day);
});

it('a symbol that goes on under another CUSIP is no new listing (rule 4.9)', () => {
  const days = { '2023-01-05': 60.49, '2023-01-06': 59, '2023-01-09': 58.95, '2023-01-10': 58.1 };
  const renamed = marketOf(filesOf(EVERY_DAY, priced('36266G107', 'GEHC', days)));
  expect(renamed.listedOn('36266G107' as Cusip)).toBe('2023-01-05');
  const before = priced('36266G999', 'GEHC', { '2023-01-03': 61 });
  const market = marketOf(filesOf(EVERY_DAY, before, priced('36266G107', 'GEHC', days)));
  expect(market.listedOn('36266G107' as Cusip)).toBeNull();
});

it.each([
  ['of the days before it', 'cnsfails202212b', '2023-01-05', null],
  ['of its first days', 'cnsfails202301a', '2022-12-29', null],
  ['of days long before it', 'cnsfails202212b', '2023-01-23', '2023-01-23'],
])('a new listing is not certain where a file %s is missing (rule 4.9)', (_, missing, from, day) => {
  const listed = pricedDaily('36266G107', from, HOLIDAYS);
  const files = filesOf(EVERY_DAY, listed);
  expect(marketOf(files).listedOn('36266G107' as Cusip)).toBe(from);
  const fewer = files.filter(({ name }) => !name.startsWith(missing));
  expect(fewer).toHaveLength(files.length - 1);
  expect(marketOf(fewer).listedOn('36266G107' as Cusip)).toBe(day);
});
