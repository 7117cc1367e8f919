import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Cusip } from '../ids.ts';
import { filesOf, priced } from '../market/market.sample.ts';
import { marketOf } from '../market/market.ts';
import { ONE_FOR_ONE } from '../report/report.ts';
import { holding, moved, peersOf, type SampleHolding, stock } from './peers.sample.ts';

const OLD = '00165C104' as Cusip;
const NEW = '00165C302' as Cusip;
/** Of another issuer. */
const OTHER = 'G7823S101' as Cusip;
const KEPT = stock(9);

/** A holder that reported both quarters: its shares of the old CUSIP before and of the new one now. */
type Row = readonly [before: number, now: number];

function went(
  rows: readonly Row[],
  [from, to]: readonly [Cusip, Cusip],
  prices: Row = [20, 20],
): SampleHolding[] {
  return rows.flatMap(([before, now], at) => [
    ...moved(at + 1, KEPT, [700n, 700n]),
    ...held(at + 1, from, 'prior', [before, prices[0]]),
    ...held(at + 1, to, 'current', [now, prices[1]]),
  ]);
}

function held(by: number, cusip: Cusip, side: 'prior' | 'current', [shares, price]: Row): SampleHolding[] {
  const amount = BigInt(shares);
  return amount === 0n ? [] : [holding(by, cusip, { side, amount, price: BigInt(Math.round(price * 100)) })];
}

/** As in `1 for 10`, or `suspected`; null without an action between the two. */
function changeOf(holdings: readonly SampleHolding[], market = marketOf([])): string | null {
  const actions = peersOf(holdings, { market }).peers.corporateActions;
  const [change] = actions.filter(({ kind }) => kind === 'cusip_change' || kind === 'cusip_change_suspected');
  if (change === undefined) return null;
  return change.kind === 'cusip_change'
    ? `${change.factor.numerator} for ${change.factor.denominator}`
    : 'suspected';
}

describe('a symbol that goes on twice in a quarter (rule 4.8)', () => {
  const BETWEEN = '00165C203' as Cusip;
  /** The symbol changes too, and the CUSIP between rises by a half. */
  const twice = (first = 30.2) =>
    marketOf(
      filesOf(
        priced(OLD, 'ABC', { '2024-01-10': 19, '2024-02-13': 20 }),
        priced(BETWEEN, 'ABC', { '2024-02-15': 20.3, '2024-03-12': 30 }),
        priced(BETWEEN, 'XYZ', { '2024-03-13': 30 }),
        priced(NEW, 'XYZ', { '2024-03-14': first, '2024-03-20': 31 }),
      ),
    );
  const rows: readonly Row[] = [
    [1300, 1300],
    [5510, 6000],
  ];
  const between = [holding(9, BETWEEN, { side: 'current', amount: 5n, price: 3_000n })];

  it('is one change, one for one, where nobody holds the CUSIP between', () => {
    const { corporateActions } = peersOf(went(rows, [OLD, NEW], [20, 31]), { market: twice() }).peers;
    const prices = { last: { day: '2024-02-13' }, first: { day: '2024-03-14' } };
    expect(corporateActions).toMatchObject([
      { kind: 'cusip_change', cusip: NEW, from: OLD, votes: 2, factor: ONE_FOR_ONE, prices },
    ]);
  });

  it('is only suspected where counts show a split under the CUSIP between', () => {
    const doubled: readonly Row[] = [
      [1300, 2600],
      [5510, 11_020],
      [777, 1554],
    ];
    expect(changeOf(went(doubled, [OLD, NEW], [20, 31]), twice())).toBe('suspected');
  });

  it('is no such change where somebody does, or where a price does not go on', () => {
    const changesIn = (holdings: readonly SampleHolding[], market = twice()) =>
      peersOf(holdings, { market }).peers.corporateActions.flatMap((action) =>
        action.kind === 'cusip_change' ? [[action.from, action.cusip]] : [],
      );
    const went20 = went(rows, [OLD, NEW], [20, 31]);
    expect(changesIn([...went20, ...between])).not.toContainEqual([OLD, NEW]);
    expect(changesIn(went20, twice(36))).toEqual([]);
  });
});

describe('a symbol that goes on under another CUSIP (rule 4.8)', () => {
  type Side = readonly [name: string, price: number];
  const succession = ([before, last]: Side, [after, first]: Side, day = '2024-02-15') =>
    marketOf(
      filesOf(
        priced(OLD, 'ABC', { '2024-01-10': last * 1.02, '2024-02-13': last }, before),
        priced(NEW, 'ABC', { [day]: first }, after),
      ),
    );

  it.each<[string, Side, Side, readonly Row[], string | null]>([
    ['Linde', ['LINDE PLC', 350.05], ['LINDE PLC NEW', 351.75], [[174025, 179870]], '1 for 1'],
    ['Frontline', ['FRONTLINE LTD', 11.92], ['FRONTLINE PLC', 11.55], [[1750842, 2780284]], '1 for 1'],
    ['Stance, under another name', ['RBB FD INC', 25.25], ['HENNESSY FDS TR', 25.32], [], '1 for 1'],
    [
      'OneConnect, which its holder traded',
      ['ONECONNECT', 0.75],
      ['ONECONNECT', 7.55],
      [[803700, 78060]],
      'suspected',
    ],
    ['OneConnect to the share', ['ONECONNECT', 0.75], ['ONECONNECT', 7.55], [[803707, 80370]], '1 for 10'],
    ['Checkpoint, which fell', ['CHECKPOINT', 0.58], ['CHECKPOINT', 4.14], [[803707, 80370]], '1 for 10'],
    [
      'a factor that no price falls by',
      ['CHECKPOINT', 0.58],
      ['CHECKPOINT', 4.14],
      [[803707, 40185]],
      'suspected',
    ],
    [
      'so few shares that others fit as well',
      ['ONECONNECT', 0.75],
      ['ONECONNECT', 7.55],
      [[100, 10]],
      'suspected',
    ],
    [
      'holders of two factors',
      ['ONECONNECT', 0.75],
      ['ONECONNECT', 7.55],
      [
        [803707, 80370],
        [803707, 89300],
      ],
      'suspected',
    ],
    [
      'BAM, which spun off another',
      ['BROOKFIELD ASSET', 43.15],
      ['BROOKFIELD ASSET', 30.76],
      [[18066174, 4560732]],
      'suspected',
    ],
    ['another company', ['FIRST EAGLE', 23.5], ['CRESCENT CAP', 16.4], [[5005, 5005]], null],
  ])('%s', (_, before, after, rows, change) => {
    const holdings = [
      ...went(rows, [OLD, NEW]),
      ...moved(30, OLD, [900n, 900n]),
      ...moved(31, NEW, [900n, 900n]),
    ];
    expect(changeOf(holdings, succession(before, after))).toBe(change);
  });

  it('after more than some days is suspected; after a month, or in another quarter, it is none', () => {
    const [linde, now] = [
      ['LINDE PLC', 350],
      ['LINDE PLC', 351],
    ] as const;
    const rows = went([[174025, 179870]], [OLD, NEW]);
    const on = (day: string) => changeOf(rows, succession(linde, now, day));
    expect(on('2024-02-23')).toBe('1 for 1');
    expect([on('2024-02-24'), on('2024-03-14')]).toEqual(['suspected', 'suspected']);
    expect([on('2024-03-15'), on('2024-04-02')]).toEqual([null, null]);
  });

  it('moves a holder that stayed away from it, and is told with its days', () => {
    const market = succession(['LINDE PLC', 350.05], ['LINDE PLC NEW', 351.75]);
    const holdings = [...moved(1, KEPT, [700n, 700n]), ...went([[174025, 0]], [OLD, NEW])];
    expect(peersOf([...holdings, holding(9, NEW)], { market }).peers.corporateActions).toMatchObject([
      {
        kind: 'cusip_change',
        from: OLD,
        cusip: NEW,
        prices: { last: { day: '2024-02-13', price: 350.05 }, first: { day: '2024-02-15', price: 351.75 } },
      },
    ]);
  });
});

describe('holders alone (rule 4.8)', () => {
  const equal = (count: number, from = 1_003): Row[] =>
    Array.from({ length: count }, (_, at) => [from + 1_010 * at, from + 1_010 * at]);
  const SMALL: Row[] = [
    [511, 511],
    [903, 903],
  ];
  const PERMIAN: Row[] = [
    [12_241, 12_241],
    [2_354_500, 2_872_300],
  ];
  const traded: Row[] = [
    [1200, 120],
    [1200, 830],
    [1200, 420],
    [1200, 90],
    [1200, 1351],
    [1200, 47],
  ];

  it.each<[string, readonly Row[], readonly [Cusip, Cusip], Row, string | null]>([
    ['two of an issuer with equal counts', equal(2), [OLD, NEW], [20, 20], '1 for 1'],
    ['one', equal(1), [OLD, NEW], [20, 20], null],
    [
      'two with round counts',
      [
        [1_000, 1_000],
        [2_500, 2_500],
      ],
      [OLD, NEW],
      [20, 20],
      null,
    ],
    [
      'two whose value was not carried, as of units and their warrants',
      equal(2),
      [OLD, NEW],
      [10, 0.5],
      null,
    ],
    ['two of two issuers', equal(2), [OLD, OTHER], [20, 20], 'suspected'],
    ['two of two issuers at another value', equal(2), [OLD, OTHER], [20, 50], null],
    ['two of two issuers with small counts', SMALL, [OLD, OTHER], [20, 20], null],
    ['two of two issuers, beside one who only left', [...equal(2), [1_200, 0]], [OLD, OTHER], [20, 20], null],
    ['two of two issuers, beside one who only came', [...equal(2), [0, 1_200]], [OLD, OTHER], [20, 20], null],
    // CIBC and Renaissance in 2022Q3: Centennial Resource became Permian Resources.
    ['two, one of whom traded', PERMIAN, [OLD, OTHER], [5.98, 6.8], 'suspected'],
    ['many of two issuers', equal(6), [OLD, OTHER], [20, 20], 'suspected'],
    ['many of two issuers at another value', equal(6), [OLD, OTHER], [20, 50], null],
    ['many of an issuer at no agreed factor', traded, [OLD, NEW], [10, 120], 'suspected'],
  ])('%s', (_, rows, cusips, prices, change) => {
    expect(changeOf(went(rows, cusips, prices))).toBe(change);
  });

  it('three fifths of the holders must go over, into what few held before', () => {
    const others = (count: number, cusip: Cusip, now: bigint) =>
      Array.from({ length: count }, (_, at) => [
        ...moved(20 + at, KEPT, [700n, 700n]),
        ...moved(20 + at, cusip, [1_000n, now]),
      ]).flat();
    const rows = went(equal(6), [OLD, OTHER]);
    expect(changeOf([...rows, ...others(4, OLD, 0n)])).toBe('suspected');
    expect(changeOf([...rows, ...others(5, OLD, 0n)])).toBeNull();
    expect(changeOf([...rows, ...others(5, OTHER, 1_000n)])).toBeNull();
  });
});

const CROWD = new URL('../../../test/splits/crowd-rows.tsv', import.meta.url);

it.each([
  ['AstraZeneca, whose receipts became shares, is suspected', 'AstraZeneca new CUSIP', 'suspected'],
  ['who left Astria entered York Space, as index funds do', 'Astria left, York Space entered', null],
])('of twenty real holders who went over to another issuer at once: %s (rule 4.8)', (_, what, found) => {
  const fields = readFileSync(CROWD, 'utf8')
    .split('\n')
    .map((line) => line.split('\t'))
    .filter(([first]) => first === what)
    .map((own) => own.slice(5).map(Number));
  const rows = fields.map(([prior = 0, amount = 0]): Row => [prior, amount]);
  const [[prior = 0, amount = 0, before = 0, after = 0] = []] = fields;
  expect(rows).toHaveLength(20);
  expect(changeOf(went(rows, [OLD, OTHER], [before / prior, after / amount]))).toBe(found);
});
