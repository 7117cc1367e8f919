import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AS_OF, cikOf } from './brief.sample.ts';
import type { SecurityResolution } from './brief-input.ts';
import type { Cik, Cusip, IsoDate, Ticker } from './ids.ts';
import { MAPPING_CONFIDENCE, resolveSecurity, type SecurityMapping, tickersOfCusip } from './security.ts';

type Dates = {
  readonly on?: string | null;
  readonly from?: string;
  readonly to?: string;
  readonly name?: string;
};

function fails(symbol: string, cusip: string, dates: Dates = {}): SecurityMapping {
  return mapping(
    { kind: 'cusip', symbol: symbol as Ticker, cusip: cusip as Cusip, source: 'fails_to_deliver' },
    dates,
  );
}
function listed(symbol: string, cik: Cik, dates: Dates = {}): SecurityMapping {
  return mapping({ kind: 'cik', symbol: symbol as Ticker, cik, source: 'company_tickers' }, dates);
}
function form4(symbol: string, cik: Cik, dates: Dates = {}): SecurityMapping {
  return mapping({ kind: 'cik', symbol: symbol as Ticker, cik, source: 'form4' }, dates);
}
function mapping(
  fields: Pick<SecurityMapping, 'kind' | 'symbol' | 'source'> & Partial<SecurityMapping>,
  { on = '2019-12-31', from, to, name = '' }: Dates,
): SecurityMapping {
  return {
    cusip: null,
    cik: null,
    name,
    sourceDate: on as IsoDate | null,
    validFrom: (from ?? null) as IsoDate | null,
    validTo: (to ?? null) as IsoDate | null,
    confidence: MAPPING_CONFIDENCE[fields.source],
    ...fields,
  };
}

const APPLE = '037833100';
const OTHER = '594918104';
const [ONE, TWO] = [cikOf(1), cikOf(2)];
const resolve = (ticker: string, mappings: readonly SecurityMapping[]): SecurityResolution =>
  resolveSecurity(ticker as Ticker, mappings, AS_OF);

describe('CUSIP of a ticker', () => {
  test('unknown without any mapping', () => {
    expect(resolve('AAPL', [fails('MSFT', OTHER)])).toEqual({ kind: 'unknown', ticker: 'AAPL' });
  });

  test('comes from a source not after the as-of date, in preference to a later one', () => {
    const mappings = [
      fails('AAPL', APPLE, { on: '2018-01-02' }),
      fails('AAPL', '037833209', { on: '2020-04-01' }),
    ];
    expect(resolve('AAPL', mappings)).toMatchObject({ cusip: APPLE, issuerCik: null, reasons: [] });
  });

  test('a later source serves up to two years, with the reason told', () => {
    const later = (on: string) => resolve('AAPL', [fails('AAPL', APPLE, { on })]);
    expect(later('2020-04-01')).toMatchObject({ cusip: APPLE, reasons: ['mapping_later_source'] });
    expect(later('2022-03-31')).toMatchObject({ cusip: APPLE });
    expect(later('2022-04-02').kind).toBe('unknown');
  });

  test('the latest settlement date wins during a CUSIP switch of one issuer', () => {
    const mappings = [
      fails('AMC', '00165C104', { on: '2020-03-27' }),
      fails('AMC', '00165C302', { on: '2020-03-30' }),
    ];
    expect(resolve('AMC', mappings)).toMatchObject({ cusip: '00165C302' });
  });

  test('a change of domicile keeps the issuer by its name', () => {
    const name = 'SATELLOGIC INC COM CL A';
    const mappings = [
      fails('SATL', 'G7823S101', { on: '2020-03-27', name }),
      fails('SATL', '80401C100', { on: '2020-03-30', name: 'SATELLOGIC INC. (DE)' }),
    ];
    expect(resolve('SATL', mappings)).toMatchObject({ cusip: '80401C100' });
  });

  test('two issuers around the as-of date are refused, and named', () => {
    const mappings = [
      fails('CCOR', '132061854', { on: '2020-02-17', name: 'CAMBRIA' }),
      fails('CCOR', '53656F847', { on: '2020-03-19', name: 'LISTED FDS' }),
    ];
    expect(resolve('CCOR', mappings)).toEqual({
      kind: 'ambiguous',
      ticker: 'CCOR',
      candidates: ['CAMBRIA (CUSIP 132061854)', 'LISTED FDS (CUSIP 53656F847)'],
    });
  });

  test('a ticker recycled long ago belongs to its new issuer', () => {
    const mappings = [
      fails('CCOR', '132061854', { on: '2019-10-18', name: 'CAMBRIA' }),
      fails('CCOR', '53656F847', { on: '2020-03-19', name: 'LISTED FDS' }),
    ];
    expect(resolve('CCOR', mappings)).toMatchObject({ cusip: '53656F847' });
  });

  test('spans of days resolve like single days', () => {
    const span = fails('AAPL', APPLE, { on: '2020-12-31', from: '2019-01-02', to: '2020-12-31' });
    expect(resolve('AAPL', [span])).toMatchObject({ cusip: APPLE, reasons: [] });
  });
});

describe('issuer of a ticker', () => {
  test.each([
    [
      'Form 4 near the as-of date beats the list',
      [form4('X', ONE, { on: '2020-03-01' }), listed('X', TWO)],
      ONE,
    ],
    ['the list beats an old Form 4', [form4('X', ONE, { on: '2017-03-01' }), listed('X', TWO)], TWO],
    ['an old Form 4 serves alone', [form4('X', ONE, { on: '2017-03-01' })], ONE],
    [
      'the newest Form 4 wins',
      [form4('X', ONE, { on: '2019-01-01' }), form4('X', TWO, { on: '2020-03-01' })],
      TWO,
    ],
    [
      'a wrong symbol on one form does not win against the list',
      [form4('X', ONE, { on: '2020-02-01' }), form4('X', TWO, { on: '2020-03-30' }), listed('X', ONE)],
      ONE,
    ],
  ] as const)('%s', (_name, mappings, expected) => {
    expect(resolve('X', mappings)).toMatchObject({ kind: 'resolved', issuerCik: expected });
  });

  test('two issuers on recent forms that no list decides are refused', () => {
    expect(
      resolve('X', [form4('X', ONE, { on: '2020-02-01' }), form4('X', TWO, { on: '2020-03-30' })]).kind,
    ).toBe('ambiguous');
  });

  test('a form of after the as-of date does not exist', () => {
    expect(resolve('X', [form4('X', ONE, { on: '2020-04-01' })]).kind).toBe('unknown');
  });

  test('a later or undated list is told as a later source', () => {
    expect(resolve('X', [listed('X', ONE, { on: '2021-01-01' })])).toMatchObject({
      reasons: ['mapping_later_source'],
    });
    expect(resolve('X', [listed('X', ONE, { on: null })])).toMatchObject({
      reasons: ['mapping_later_source'],
    });
    expect(resolve('X', [listed('X', ONE, { on: '2023-01-01' })]).kind).toBe('unknown');
  });

  test('its name is preferred to the shortened one of the fails file', () => {
    const mappings = [fails('X', APPLE, { name: 'APPL' }), listed('X', ONE, { name: 'Apple Inc.' })];
    expect(resolve('X', mappings)).toMatchObject({ name: 'Apple Inc.' });
  });
});

describe('symbols without their separator', () => {
  const A = fails('BRKA', '084670108', { name: 'BERKSHIRE HATHWY INC(HLDG CO)A' });
  const B = fails('BRKB', '084670702', { name: 'BERKSHIRE HATHWY INC(HLDG CO)B' });
  const LISTED = [listed('BRK.A', ONE), listed('BRK.B', ONE)];

  test.each(['BRK.B', 'BRKB'])('%s is BRK.B when the list knows it', (ticker) => {
    expect(resolve(ticker, [A, B, ...LISTED])).toMatchObject({
      ticker: 'BRK.B',
      cusip: '084670702',
      issuerCik: ONE,
      shareClass: 'B',
      siblings: ['BRK.A'],
      siblingClasses: ['A'],
    });
  });

  test('without a list the description must name the class', () => {
    expect(resolve('BRK.B', [A, B])).toMatchObject({ ticker: 'BRK.B', cusip: '084670702' });
    expect(resolve('BRK.L', [fails('BRKL', '11373M107', { name: 'BROOKLINE BANCORP' })]).kind).toBe(
      'unknown',
    );
  });

  test('an alias never shadows a real ticker', () => {
    const real = [...LISTED, listed('BRKB', TWO)];
    expect(resolve('BRK.B', [B, ...real])).toMatchObject({ cusip: null, issuerCik: ONE });
    expect(resolve('BRKB', [B, ...real])).toMatchObject({
      ticker: 'BRKB',
      cusip: '084670702',
      issuerCik: TWO,
    });
  });

  test('two tickers that lose their separator alike are dropped', () => {
    const collision = [B, listed('BRK.B', ONE), listed('BR.KB', TWO)];
    expect(resolve('BRK.B', collision)).toMatchObject({ cusip: null });
    expect(resolve('BRKB', collision)).toMatchObject({ ticker: 'BRKB', issuerCik: null });
  });
});

describe('siblings', () => {
  test('are the other share classes, not preferred shares, warrants or older names of the CUSIP', () => {
    const mappings = [
      fails('GOOG', '02079K107', { name: 'ALPHABET INC CAP STK CL C' }),
      fails('GOOGL', '02079K305', { name: 'ALPHABET INC CAP STK CL A' }),
      fails('OLDG', '02079K107', { name: 'ALPHABET INC CAP STK CL C', on: '2018-01-02' }),
      fails('GOOGPR', '02079K909', { name: 'ALPHABET INC PFD SER A' }),
      listed('GOOG.WS', ONE),
      listed('GOOG', ONE),
    ];
    expect(resolve('GOOG', mappings)).toMatchObject({
      siblings: ['GOOGL'],
      siblingClasses: ['A'],
      shareClass: 'C',
    });
  });
});

describe('tickersOfCusip', () => {
  test('are those that resolve to it', () => {
    const mappings = [
      fails('BRKB', '084670702'),
      listed('BRK.B', ONE),
      fails('AMC', '00165C104', { on: '2020-03-27' }),
      fails('AMC', '00165C302', { on: '2020-03-30' }),
    ];
    const tickers = (cusip: string) => tickersOfCusip(cusip as Cusip, mappings, AS_OF);
    expect(tickers('084670702')).toEqual(['BRK.B']);
    expect(tickers('00165C302')).toEqual(['AMC']);
    expect(tickers('00165C104')).toEqual([]);
    expect(tickers(APPLE)).toEqual([]);
  });
});

test('the order of the mappings never matters', () => {
  const symbol = fc.constantFrom('BRKB', 'BRK.B', 'BRKA', 'BRK.A');
  const date = fc.constantFrom(
    '2017-01-03',
    '2019-12-30',
    '2020-03-01',
    '2020-03-30',
    '2020-05-01',
    '2021-01-04',
  );
  const name = fc.constantFrom('', 'ONE INC CL B', 'ONE INC', 'TWO INC CL A');
  const cusip = fc.constantFrom('084670702', '084670108', '11373M107');
  const cik = fc.constantFrom(ONE, TWO);
  const any = fc.oneof(
    fc.tuple(symbol, cusip, date, name).map(([s, c, on, n]) => fails(s, c, { on, name: n })),
    fc.tuple(symbol, cik, date, name).map(([s, c, on, n]) => form4(s, c, { on, name: n })),
    fc.tuple(symbol, cik, date, name).map(([s, c, on, n]) => listed(s, c, { on, name: n })),
  );
  const shuffled = fc
    .array(any, { maxLength: 8 })
    .chain((list) => fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })));
  fc.assert(
    fc.property(shuffled, symbol, ([list, other], ticker) => {
      expect(resolve(ticker, other)).toEqual(resolve(ticker, list));
    }),
    { numRuns: 500 },
  );
});
