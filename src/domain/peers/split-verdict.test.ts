import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Cusip, QuarterEnd } from '../ids.ts';
import { filesOf, priced } from '../market/market.sample.ts';
import { marketOf } from '../market/market.ts';
import type { SplitFactor } from '../report/report.ts';
import { numberOf, SPLIT_FACTORS } from './split.ts';
import { type SplitCase, splitCaseOf, splitVerdict } from './split-verdict.ts';
import type { SplitVote } from './verdict.ts';

const CUSIP = '09073M104' as Cusip;
/** Shares at the two ends, and dollars a share as filed. */
type Row = readonly [prior: number, amount: number, before: number, after: number];
type Days = Readonly<Record<string, number>>;

/** As in `4 for 1 proven`; null without a verdict. */
function verdictOf(...asked: Parameters<typeof voteOf>): string | null {
  return wordsOf(voteOf(...asked));
}

function wordsOf(verdict: SplitVote | null): string | null {
  if (verdict === null) return null;
  const { factor, kind } = verdict;
  return `${factor.numerator} for ${factor.denominator}${kind === 'split' ? ' proven' : ''}`;
}

function voteOf(
  rows: readonly Row[],
  market = 1,
  ...files: [days?: Days, quarterEnd?: QuarterEnd]
): SplitVote | null {
  return splitVerdict(caseOf(rows, ...files), market);
}

function caseOf(rows: readonly Row[], days: Days = {}, quarterEnd = '2022-12-31' as QuarterEnd): SplitCase {
  const column = (at: 0 | 1 | 2 | 3, times = 1) => Float64Array.from(rows, (row) => row[at] * times);
  const holders = {
    prior: column(0),
    amount: column(1),
    priceBefore: column(2, 100),
    priceAfter: column(3, 100),
  };
  const prices = marketOf(filesOf(priced(CUSIP, 'TECH', days))).pricesOf(CUSIP);
  return splitCaseOf(holders, { cusip: CUSIP, quarterEnd, days: prices });
}

const numberIn = (verdict: string | null): number => {
  const [more, less] = (verdict ?? '').split(' for ').map(Number.parseFloat);
  return (more ?? Number.NaN) / (less ?? Number.NaN);
};

/** Of reports of 2021-12-31 to 2023-09-30; the market's median price moved by the number of the quarter. */
const Q = {
  '2022Q1': 0.935,
  '2022Q2': 0.834,
  '2022Q3': 0.931,
  '2022Q4': 1.055,
  '2023Q1': 1.015,
  '2023Q2': 1.003,
  '2023Q3': 0.95,
} as const;

describe('without files, holders are suspected of a split (rule 4.7)', () => {
  it.each<[string, keyof typeof Q, string, readonly Row[]]>([
    [
      'Fortinet',
      '2022Q2',
      '5 for 1',
      [
        [38304, 179611, 341.74, 56.58],
        [937789, 4813745, 341.74, 56.58],
      ],
    ],
    [
      'Monster',
      '2023Q1',
      '2 for 1',
      [
        [3005417, 5780732, 0.1, 0.05],
        [114383, 222388, 101.53, 54.01],
      ],
    ],
    [
      'Bio-Techne',
      '2022Q4',
      '4 for 1',
      [
        [270944, 418400, 284, 0.08],
        [5203, 22435, 284.07, 82.88],
      ],
    ],
    [
      'Copart',
      '2022Q4',
      '2 for 1',
      [
        [739700, 155900, 106.4, 0.06],
        [56864, 113626, 106.39, 60.89],
      ],
    ],
    [
      'Alphabet',
      '2022Q3',
      '20 for 1',
      [
        [53175, 1013500, 2179.26, 95.65],
        [78397, 1699182, 2179.24, 95.65],
      ],
    ],
    [
      'Tesla',
      '2022Q3',
      '3 for 1',
      [
        [29883, 89647, 673.43, 265.25],
        [748475, 1400, 673.42, 265],
        [178996, 585843, 673.42, 265.25],
      ],
    ],
    [
      'Amazon',
      '2022Q2',
      '20 for 1',
      [
        [70717, 2004500, 3259.95, 106.21],
        [109961, 2199771, 3259.95, 106.21],
        [533300, 10666000, 3259.95, 106.21],
      ],
    ],
    ['Nasdaq', '2022Q3', '3 for 1', [[45822, 132209, 152.55, 56.68]]],
    ['Palo Alto', '2022Q3', '3 for 1', [[16780, 48030, 493.92, 163.79]]],
    [
      'CIBC',
      '2022Q2',
      '2 for 1',
      [
        [191764, 302458, 121.69, 48.56],
        [5950401, 9489625, 121.52, 48.56],
      ],
    ],
    [
      'DexCom',
      '2022Q2',
      '4 for 1',
      [
        [23200, 894572, 511.59, 74.53],
        [20175, 91955, 511.62, 74.53],
      ],
    ],
    ['Brookfield Infrastructure', '2022Q2', '3 for 2', [[25778, 38814, 75.53, 42.43]]],
    [
      'Paccar, where both holders moved',
      '2023Q1',
      '3 for 2',
      [
        [86959, 132674, 98.97, 73.2],
        [1455878, 2393016, 98.97, 73.2],
      ],
    ],
    // By the percentages of both holders; the price rose beside the split.
    [
      'Novo Nordisk',
      '2023Q3',
      '2 for 1',
      [
        [100_000, 200_400, 161.83, 90.94],
        [1_000_000, 1_730_000, 161.83, 90.94],
      ],
    ],
    // Bought as much again; the price is that of the split to two percent.
    ['a fund of municipal bonds', '2023Q1', '2 for 1', [[106600, 520100, 48.97, 25.04]]],
    ['a fund of small companies', '2023Q1', '2 for 1', [[1300, 5600, 156.92, 80.71]]],
    // Renaissance 2023-09-30 (0001037389-23-000124): nearly half of it was sold.
    ['ExlService', '2023Q3', '5 for 1', [[112200, 318200, 151.06, 28.04]]],
    // It fell by 45 % beside the split.
    ['Shopify', '2022Q2', '10 for 1', [[346696, 3732313, 677.05, 31.24]]],
    ['Owlet, to the share', '2023Q1', '1 for 14', [[493537, 35252, 0.32, 4.2]]],
    // In thousands at the one end only.
    ['50 for 1 of 3,200 dollars', '2023Q1', '50 for 1', [[1317, 65850, 3200, 65.1]]],
  ])('%s', (_, quarter, factor, rows) => {
    const found = verdictOf(rows, Q[quarter]);
    // Counts alone do not tell a factor from its neighbours.
    expect(found).not.toMatch(/proven/);
    expect(Math.abs(Math.log(numberIn(found) / numberIn(factor)))).toBeLessThan(Math.log(1.3));
  });

  it.each<[string, keyof typeof Q, readonly Row[]]>([
    [
      'Snap at 5 for 4',
      '2022Q4',
      [
        [8620304, 10774200, 9.82, 0.01],
        [57801, 45961, 9.83, 8.95],
      ],
    ],
    ['PNM at 5 for 4', '2023Q1', [[902000, 1127800, 0.05, 0.05]]],
    [
      'DocuSign',
      '2022Q2',
      [
        [1042900, 2329300, 107.12, 57.38],
        [34615, 31125, 107.12, 57.38],
      ],
    ],
    [
      'Bath & Body',
      '2022Q2',
      [
        [1765333, 3778033, 47.8, 26.92],
        [24458, 31231, 47.8, 26.93],
      ],
    ],
    [
      'Coinbase',
      '2022Q2',
      [
        [1052000, 4253200, 189.86, 47.02],
        [8848, 8321, 189.87, 46.99],
      ],
    ],
    [
      'AMD, bought by a third by both',
      '2022Q1',
      [
        [20990, 26920, 143.88, 109.32],
        [245118, 349716, 143.9, 109.34],
      ],
    ],
    ['Bandwidth, half its price and four percent', '2022Q1', [[132000, 468200, 71.76, 32.39]]],
    ['SiTime, bought twentyfold', '2022Q3', [[12800, 255600, 163.05, 78.73]]],
    ['AZEK', '2022Q1', [[88600, 181200, 46.24, 24.84]]],
    ['Ambarella', '2022Q1', [[251200, 571100, 202.89, 104.92]]],
    ['LendingTree', '2022Q2', [[51500, 104000, 119.67, 43.82]]],
    ['Upstart, which fell to a third', '2022Q2', [[34100, 213800, 109.09, 31.62]]],
    ['MicroStrategy', '2022Q2', [[86300, 399500, 486.32, 164.3]]],
    [
      'Royal Caribbean, bought by a quarter and nearly sold',
      '2022Q2',
      [
        [23061, 28863, 83.78, 34.92],
        [140300, 23600, 83.78, 34.92],
      ],
    ],
    ['CPI Card, bought by a fifth', '2023Q2', [[45300, 54700, 45.01, 23.25]]],
    ['Gossamer', '2022Q4', [[35800, 143200, 11.98, 2.17]]],
    // Greenlight in 2012Q3 (0001140361-12-047243), in a market that rose as much.
    ['Apple, of which a quarter was sold, to the share', '2022Q4', [[1454520, 1090890, 584, 667.26]]],
  ])('%s is none', (_, quarter, rows) => {
    expect(verdictOf(rows, Q[quarter])).toBeNull();
  });

  it('whose votes are all counts about the factor, not only the exact ones, and no others', () => {
    const amazon: Row[] = [
      [70717, 2004500, 3259.95, 106.21],
      [109961, 2199771, 3259.95, 106.21],
      [533300, 10666000, 3259.95, 106.21],
    ];
    expect(voteOf(amazon, Q['2022Q2'])).toMatchObject({ votes: 2, compared: 3, factor: { numerator: 20n } });
    const fund: Row = [106600, 520100, 48.97, 25.04];
    expect(voteOf([fund], Q['2023Q1'])).toMatchObject({ votes: 0, compared: 1, factor: { numerator: 2n } });
  });

  it('and ten holders at one whole percent show a stock dividend, three of ten do not', () => {
    const rows = (exact: number): Row[] =>
      Array.from({ length: 10 }, (_, at) => [
        10_000 + at * 100,
        (10_000 + at * 100) * (at < exact ? 1.05 : 1),
        50,
        48,
      ]);
    expect([verdictOf(rows(10)), verdictOf(rows(3))]).toEqual(
      ['21 for 20', null].map((one) => one && '105 for 100'),
    );
  });
});

describe("a split that the issuer's other securities show (rule 4.7)", () => {
  const by = (more: number, less = 1): SplitVote => ({
    ...{ kind: 'split_suspected', cusip: '781846308' as Cusip, votes: 1, compared: 1 },
    factor: SPLIT_FACTORS.find((one) => numberOf(one) === more / less) as SplitFactor,
  });
  const RUSH: Row = [216110, 312964, 60.74, 40.83];

  // Rush as Renaissance reports it in 2023Q3; the others as managers do in 2024Q4, 2025Q4 and 2026Q1.
  it.each<[string, string | null, SplitVote, Row]>([
    ['Rush, class A beside class B', '3 for 2', by(3, 2), RUSH],
    ['a Schwab fund, sold in part', '2 for 1', by(2), [9972150, 1309398, 53.63, 25.83]],
    ['Rush beside a class split otherwise', null, by(2), RUSH],
    ['a fund beside a split one, at its price', null, by(4, 3), [17854, 23805, 24.05, 23.75]],
    ['a cheap fund that fell by half', null, by(2), [138094, 18705, 14.65, 7]],
    ['what nobody traded, and fell by half', null, by(2), [1000, 1000, 100, 50]],
  ])('%s: %s', (_, verdict, vote, row) => {
    expect(verdictOf([row], 0.95)).toBeNull();
    expect(wordsOf(splitVerdict(caseOf([row]), 0.95, [vote]))).toBe(verdict);
  });

  it('has no votes: 1,309,398 of 9,972,150 shares moved by no 2 for 1', () => {
    const sold: Row = [9972150, 1309398, 53.63, 25.83];
    expect(splitVerdict(caseOf([sold]), 0.95, [by(2)])).toMatchObject({ votes: 0, compared: 1 });
  });

  it('is none where the files deny it', () => {
    const days = { '2022-10-05': 60, '2022-10-24': 55, '2022-11-10': 50, '2022-11-28': 46, '2022-12-20': 43 };
    expect(splitVerdict(caseOf([RUSH], days), 0.95, [by(3, 2)])).toBeNull();
  });
});

describe('a jump of the price in the files', () => {
  const TECH: Days = { '2022-12-01': 339.96, '2022-12-02': 86.41, '2022-12-16': 84 };
  const near: Row = [5203, 22435, 284.07, 82.88];

  it('and one count near the factor prove a split; the others traded (rule 4.5)', () => {
    expect(verdictOf([[270944, 418400, 284, 0.08], near], 1, TECH)).toBe('4 for 1 proven');
  });

  it('is suspected where one of three holders is near it: Ontrak fell by half on 2021-03-01 (rule 4.5)', () => {
    const ontrak: Days = { '2021-03-01': 58.94, '2021-03-03': 28.86 };
    const holders: Row[] = [
      [1121, 1364, 68.62, 35.18],
      [28890, 21051, 68.62, 35.18],
      [22354, 40601, 68.62, 35.18],
    ];
    expect(verdictOf(holders, 1, ontrak, '2021-03-31' as QuarterEnd)).toBe('2 for 1');
  });

  it('by a fifth is none, although nobody stood still: Fulgent on 2021-02-22 (rule 4.5)', () => {
    const fulgent: Days = { '2021-02-22': 133.02, '2021-02-23': 105.42 };
    const holders: Row[] = [[12501, 15907, 52.1, 96.62]];
    expect(verdictOf(holders, 1, fulgent, '2021-03-31' as QuarterEnd)).toBeNull();
  });

  it.each<[string, readonly Row[], string | null]>([
    ['is suspected where nobody moved by it, and nobody stood still', [[748475, 1400, 284, 83]], '4 for 1'],
    [
      'is suspected where one moved by it and one booked it late',
      [
        [5203, 20812, 284, 83],
        [4000, 4000, 284, 83],
      ],
      '4 for 1',
    ],
    ['is none where most stood still', [near, [4000, 4000, 284, 83], [5100, 5100, 284, 83]], null],
  ])('%s (rule 4.5)', (_, rows, verdict) => {
    expect(verdictOf(rows, 1, TECH)).toBe(verdict);
  });

  it.each<[string, Days, Row, string | null]>([
    ['Gossamer fell', { '2022-12-05': 9.29, '2022-12-06': 2.36 }, [35800, 35800, 11.98, 2.17], null],
    [
      'Gossamer, whose buyer tripled',
      { '2022-12-05': 9.29, '2022-12-06': 2.36 },
      [35800, 132100, 11.98, 2.17],
      null,
    ],
    [
      'Mirati fell by 52 %',
      { '2022-12-01': 91.38, '2022-12-09': 43.85 },
      [50100, 105300, 69.84, 45.31],
      '2 for 1',
    ],
    [
      'a round count doubles',
      { '2022-12-01': 91.38, '2022-12-02': 45.1 },
      [50000, 100000, 90, 45.31],
      '2 for 1 proven',
    ],
    [
      'a cheap share falls by half',
      { '2022-12-01': 12.4, '2022-12-02': 6.1 },
      [50100, 105300, 12.1, 6],
      null,
    ],
  ])('%s (rule 4.5)', (_, days, row, verdict) => {
    expect(verdictOf([row], 1, days)).toBe(verdict);
  });

  it.each([9, 12, 14, 16])(
    '%i gives the factor that counts have to the share, and no neighbour (rule 4.5)',
    (n) => {
      const [high, low] = [300 * 1.04, 300 / n];
      const forward: Days = { '2022-12-01': high, '2022-12-02': low };
      const back: Days = { '2022-12-01': low, '2022-12-02': high };
      const exact: Row = [35253, 35253 * n, 300, low];
      const traded: Row = [20117, 20117 * (n + 0.6), 300, low];
      expect(verdictOf([exact, traded], 1, forward)).toBe(`${n} for 1 proven`);
      expect(verdictOf([traded], 1, forward)).toMatch(/^\d+ for 1$/);
      expect(verdictOf([[493537, Math.floor(493537 / n), low, 300]], 1, back)).toBe(`1 for ${n} proven`);
      expect(verdictOf([[100, Math.floor(100 / n), low, 300]], 1, back)).toBeNull();
    },
  );

  it('makes a small split suspected where all traded around it (rule 4.5)', () => {
    const paccar: Days = { '2022-12-08': 110.29, '2022-12-09': 71.95 };
    const holders: Row[] = [
      [86959, 132674, 98.97, 73.2],
      [1455878, 2393016, 98.97, 73.2],
    ];
    expect(verdictOf(holders, 1, paccar)).toBe('3 for 2');
    expect(verdictOf([[86959, 88010, 98.97, 73.2]], 1, paccar)).toBeNull();
    const inogen: Days = { '2022-12-08': 23.16, '2022-12-09': 15.56 };
    expect(verdictOf([[306500, 463493, 23.1, 15.6]], 1, inogen)).toBeNull();
  });

  it.each<[string, Days, readonly Row[], string | null]>([
    [
      'Greene County Bancorp, whose holder bought too, is suspected',
      { '2023-03-13': 49.99, '2023-03-14': 47.99 },
      [[6200, 20782, 0.06, 0.02266]],
      '2 for 1',
    ],
    ['a fund is', { '2023-03-13': 161.98, '2023-03-14': 157.66 }, [[1300, 5600, 156.92, 80.71]], '2 for 1'],
    [
      'First Republic, which failed, is not',
      { '2023-03-13': 81.76, '2023-03-14': 31.21 },
      [
        [45898, 26913, 121.89, 13.99],
        [899400, 8056900, 121.89, 13.99],
      ],
      null,
    ],
    [
      'nor is what a holder kept',
      { '2023-03-14': 157.66 },
      [
        [1300, 5600, 156.92, 80.71],
        [900, 900, 156.92, 80.71],
      ],
      null,
    ],
    ['nor what has no price for weeks', { '2023-03-10': 157.66 }, [[1300, 5600, 156.92, 86.31]], null],
  ])('after the last file shows in the reports: %s (rule 4.7)', (_, days, rows, verdict) => {
    expect(verdictOf(rows, Q['2023Q1'], days, '2023-03-31' as QuarterEnd)).toBe(verdict);
  });

  it('decides by the reports on which side of the quarter end it is (rule 4.5)', () => {
    const over: Days = { '2022-12-29': 340, '2023-01-04': 85 };
    expect(verdictOf([[5203, 20812, 339, 84]], 1, over)).toBe('4 for 1 proven');
    expect(verdictOf([[5203, 20812, 339, 341]], 1, over)).toBeNull();
  });

  it('that is missing denies what counts look like (rule 4.5)', () => {
    const rows: Row[] = [[38304, 79611, 120, 56.58]];
    const slow: Days = { '2022-10-14': 105, '2022-11-01': 88, '2022-11-18': 74, '2022-12-12': 66 };
    expect([verdictOf(rows), verdictOf(rows, 1, slow)]).toEqual(['2 for 1', null]);
  });
});

const CROWD = new URL('../../../test/splits/crowd-rows.tsv', import.meta.url);
const crowd = readFileSync(CROWD, 'utf8').trim().split('\n');

/** Of the fixture, in the order of the managers. */
function crowdOf(what: string): Row[] {
  const fields = crowd.map((line) => line.split('\t')).filter(([first]) => first === what);
  return fields.map((own): Row => {
    const [prior = 0, amount = 0, before = 0, after = 0] = own.slice(5).map(Number);
    return [prior, amount, before / prior, after / amount];
  });
}

describe('of real holders (rule 4.7)', () => {
  it.each([
    ['seven of Amphenol, one of whom bought twelvefold', 'Amphenol 2:1', '2 for 1'],
    ['eleven of Entergy, six of whom are near the factor', 'Entergy 2:1', '2 for 1'],
    ['123 of StoneX, some of whom hardly moved', 'StoneX 3:2', '3 for 2'],
    ['three of Unity, one of whom doubled', 'Unity fell by half', null],
  ])('%s', (_, what, verdict) => {
    expect(verdictOf(crowdOf(what), 0.97)).toBe(verdict);
  });
});

const TSV = new URL('../../../test/splits/suspected-splits.tsv', import.meta.url);
const rows = readFileSync(TSV, 'utf8')
  .trim()
  .split('\n')
  .slice(1)
  .map((line) => line.split('\t'));

it('of real changes near a factor one holder is suspected of splits, and of nothing else (rule 4.7)', () => {
  const suspected = rows.filter(([quarterEnd, , cusip, , , , ...numbers]) => {
    const [prior = 0, amount = 0, before = 0, after = 0] = numbers.map(Number);
    const of = (one: number) => Float64Array.of(one);
    const holders = {
      prior: of(prior),
      amount: of(amount),
      priceBefore: of(before / prior),
      priceAfter: of(after / amount),
    };
    const asked = { cusip: cusip as Cusip, quarterEnd: quarterEnd as QuarterEnd, days: [] };
    return splitVerdict(splitCaseOf(holders, asked), 1) !== null;
  });
  const splitsIn = (some: typeof rows) => some.filter((fields) => fields[10] === 'yes').length;
  expect([rows.length, splitsIn(rows)]).toEqual([132, 23]);
  expect([suspected.length, splitsIn(suspected)]).toEqual([21, 21]);
});
