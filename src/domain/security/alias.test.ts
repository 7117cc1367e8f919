import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AS_OF, cikOf } from '../brief/brief.sample.ts';
import type { Cusip, Ticker } from '../ids.ts';
import { fails, form4, listed } from './mapping.sample.ts';
import type { SecurityMapping, SecurityResolution } from './mapping.ts';
import { resolveSecurity, tickersOfCusip } from './resolve.ts';

const APPLE = '037833100';
const [ONE, TWO] = [cikOf(1), cikOf(2)];
const resolve = (ticker: string, mappings: readonly SecurityMapping[]): SecurityResolution =>
  resolveSecurity(ticker as Ticker, mappings, AS_OF);

describe('symbols without their separator (rule 3.3)', () => {
  const A = fails('BRKA', '084670108', { name: 'BERKSHIRE HATHWY INC(HLDG CO)A' });
  const B = fails('BRKB', '084670702', { name: 'BERKSHIRE HATHWY INC(HLDG CO)B' });
  const LISTED = [listed('BRK.A', ONE), listed('BRK.B', ONE)];

  test.each(['BRK.B', 'BRKB'])('%s is BRK.B when the list has it', (ticker) => {
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

  test('a ticker is not the preferred share with the same letters, nor the other way round', () => {
    const calpine = fails('CPN', '131347304', { name: 'CALPINE CORP' });
    const citigroup = listed('C.PN', TWO, { name: 'CITIGROUP INC' });
    expect(resolve('CPN', [calpine, citigroup])).toMatchObject({
      ticker: 'CPN',
      cusip: '131347304',
      issuerCik: null,
    });
    expect(resolve('C.PN', [calpine, citigroup])).toMatchObject({ cusip: null, issuerCik: TWO });
    expect(resolve('CPN', [citigroup]).kind).toBe('unknown');
  });

  test('a ticker is not the warrant, right or preferred share with the same letters', () => {
    const newtek = fails('NEWT', '652526203', { name: 'NEWTEK BUSINESS SERVICES, CORP' });
    expect(resolve('NEWT', [newtek, listed('NE.WT', TWO)])).toMatchObject({
      ticker: 'NEWT',
      issuerCik: null,
    });
    for (const other of ['BUI.RW', 'TSI.RI', 'TY.P', 'NE.WTA']) {
      expect(resolve(other.replace('.', ''), [listed(other, TWO)]).kind).toBe('unknown');
    }
  });

  test('an alias never hides a real ticker', () => {
    const real = [...LISTED, listed('BRKB', TWO)];
    expect(resolve('BRK.B', [B, ...real])).toMatchObject({ cusip: null, issuerCik: ONE });
    expect(resolve('BRKB', [B, ...real])).toMatchObject({
      ticker: 'BRKB',
      cusip: '084670702',
      issuerCik: TWO,
    });
  });

  test('two tickers with the same letters without separator are both dropped', () => {
    const collision = [B, listed('BRK.B', ONE), listed('BR.KB', TWO)];
    expect(resolve('BRK.B', collision)).toMatchObject({ cusip: null });
    expect(resolve('BRKB', collision)).toMatchObject({ ticker: 'BRKB', issuerCik: null });
  });
});

describe('siblings', () => {
  test('never include preferred shares, in any spelling of a source (rule 3.8)', () => {
    // From the fails file of January 2019, which truncates the kind of share, and the company list.
    const mappings = [
      fails('NLY', '035710409', { name: 'ANNALY CAPITAL MANAGEMENT, INC' }),
      fails('NLYPRG', '035710847', { name: 'ANNALY CAPITAL MANAGEMENT INC' }),
      fails('CPR', '035710300', { name: 'ANNALY CAPITAL MANAGEMENT INC' }),
      listed('NLY', ONE),
      listed('NLY.PF', ONE),
    ];
    expect(resolve('NLY', mappings)).toMatchObject({ cusip: '035710409', siblings: ['CPR'] });
  });

  test.each([
    ['AUR', ['AUROW'], []],
    ['APXT', ['APXTU', 'APXTW', 'APXTR'], []],
    ['ACGL', ['ACGLN', 'ACGLO', 'ACGLP'], []],
    ['NEWT', ['NEWTI', 'NEWTZ'], []],
    ['NE', ['NE.WT', 'NE.WTA', 'NE.RI', 'NE.RW', 'NE.P', 'NE.PA'], []],
    ['GOOG', ['GOOGL'], ['GOOGL']],
    ['FWONA', ['FWONB', 'FWONK', 'LLYVA'], ['FWONB', 'FWONK', 'LLYVA']],
    ['BABA', ['BABAF', 'XYZWW'], ['BABAF', 'XYZWW']],
  ])('siblings of %s among %j follow from the symbols alone (rule 3.8)', (ticker, others, shares) => {
    const mappings = [ticker, ...others].map((symbol) => listed(symbol, ONE));
    expect(resolve(ticker, mappings)).toMatchObject({ siblings: shares });
  });

  test('are the other share classes, not preferred shares, warrants or older names of the CUSIP (rule 3.8)', () => {
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

describe('the issuer of a class that no form names (rule 3.5)', () => {
  const name = 'Alphabet Inc.';
  const mappings = [
    fails('GOOG', '02079K107', { name: 'ALPHABET INC CAP STK CL C' }),
    fails('GOOGL', '02079K305', { name: 'ALPHABET INC CAP STK CL A' }),
    fails('GOOGW', '02079K909', { name: 'ALPHABET INC WTS' }),
    form4('GOOG', ONE, { name }),
  ];

  test('is that of its other class, and of no warrant', () => {
    for (const ticker of ['GOOG', 'GOOGL'])
      expect(resolve(ticker, mappings)).toMatchObject({ issuerCik: ONE });
    expect(resolve('GOOGL', mappings)).toMatchObject({ name, shareClass: 'A', siblings: ['GOOG'] });
    expect(resolve('GOOGW', mappings)).toMatchObject({ issuerCik: null });
  });

  test.each([
    ['another name', form4('GOOG', TWO, { name: 'Google Trust' })],
    ['other digits', fails('GOOGL', '38259P508', { name: 'ALPHABET INC CAP STK CL A' })],
  ])('is unknown where it has %s', (_, other) => {
    const [classC] = mappings;
    const own = other.kind === 'cik' ? mappings[1] : other;
    const form = other.kind === 'cik' ? other : mappings[3];
    const stated = [classC, own, form].flatMap((one) => one ?? []);
    expect(resolve('GOOGL', stated)).toMatchObject({ issuerCik: null });
  });

  test('is not that of a company that has a symbol of its digits today', () => {
    const stated = [
      ...['LBTYA', 'LBTYB'].map((symbol, at) =>
        fails(symbol, `G5480U${at}04`, { name: 'LIBERTY GLOBAL PLC' }),
      ),
      fails('LILA', 'G5480U138', { on: '2017-12-29', name: 'LIBERTY GLOBAL PLC LILAC' }),
      fails('LILA', 'G9001E102', { name: 'LIBERTY LATIN AMERICA LTD' }),
      form4('LILA', TWO, { name: 'Liberty Latin America Ltd.' }),
    ];
    expect(resolve('LBTYA', stated)).toMatchObject({ issuerCik: null });
  });

  test('nor one of a similar name, which takes no CUSIP away', () => {
    const stated = [
      fails('ACMA', '038337109', { on: '2021-05-28', name: 'ARRAY BIOPHARMA INC CL A' }),
      fails('ACMB', '038337208', { on: '2021-05-28', name: 'ARRAY BIOPHARMA INC CL B' }),
      form4('ACMB', TWO, { name: 'Array Technologies, Inc.' }),
    ];
    expect(resolve('ACMA', stated)).toMatchObject({ cusip: '038337109', issuerCik: null });
  });

  test('nor of a warrant whose description is cut off before it says so', () => {
    const stated = [
      fails('XYZ', '83364L109', { name: 'SOCIAL CAPITAL HEDOSOPHIA HLDG' }),
      fails('XYZW', '83364L117', { name: 'SOCIAL CAPITAL HEDOSOPHIA HLDG' }),
      form4('XYZ', ONE, { name: 'Social Capital Hedosophia Holdings Corp.' }),
    ];
    expect(resolve('XYZW', stated)).toMatchObject({ issuerCik: null });
  });

  test('and where two have it', () => {
    const stated = [...mappings, form4('GOOG', TWO, { name: 'Alphabet Holdings' })];
    expect(resolve('GOOGL', stated)).toMatchObject({ issuerCik: null });
  });
});

test('a symbol that ended before the ticker began is its former one where no CUSIP is known (rule 3.8)', () => {
  const former = form4('FB', ONE, { on: '2019-12-31' });
  for (const on of ['2022-02-11', null]) {
    expect(resolve('META', [former, listed('META', ONE, { on })])).toMatchObject({ siblings: [] });
  }
  const both = [former, listed('FB', ONE, { on: '2022-02-11' }), listed('META', ONE, { on: '2022-02-11' })];
  expect(resolve('META', both)).toMatchObject({ siblings: ['FB'] });
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

test('the order of the mappings never matters (rule 3.5)', () => {
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
