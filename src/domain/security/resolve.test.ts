import { describe, expect, test } from 'vitest';
import { AS_OF, cikOf } from '../brief/brief.sample.ts';
import type { Ticker } from '../ids.ts';
import { fails, form4, listed } from './mapping.sample.ts';
import type { SecurityMapping, SecurityResolution } from './mapping.ts';
import { resolveSecurity } from './resolve.ts';

const APPLE = '037833100';
const OTHER = '594918104';
const [ONE, TWO] = [cikOf(1), cikOf(2)];
const resolve = (ticker: string, mappings: readonly SecurityMapping[]): SecurityResolution =>
  resolveSecurity(ticker as Ticker, mappings, AS_OF);

describe('CUSIP of a ticker (rule 3.5)', () => {
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

  test('a later source is used for up to two years, with the reason', () => {
    const later = (on: string) => resolve('AAPL', [fails('AAPL', APPLE, { on })]);
    const reasons = ['mapping_later_source'];
    expect(later('2020-04-01')).toMatchObject({ cusip: APPLE, isLaterCusip: true, reasons });
    const ofLaterIssuer = [fails('AAPL', APPLE, { on: '2020-01-02' }), listed('AAPL', ONE, { on: null })];
    expect(resolve('AAPL', ofLaterIssuer)).toMatchObject({ cusip: APPLE, reasons });
    expect(resolve('AAPL', ofLaterIssuer)).not.toHaveProperty('isLaterCusip');
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

  test('two issuers around the as-of date are ambiguous, with both names', () => {
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

  test('ranges of days resolve like single days', () => {
    const span = fails('AAPL', APPLE, { on: '2020-12-31', from: '2019-01-02', to: '2020-12-31' });
    expect(resolve('AAPL', [span])).toMatchObject({ cusip: APPLE, reasons: [] });
  });
});

describe('issuer of a ticker (rule 3.5)', () => {
  test.each([
    [
      'forms of two days near the as-of date beat a later list: the ticker was given away',
      [
        form4('X', ONE, { on: '2019-03-01' }),
        form4('X', ONE, { on: '2020-03-01' }),
        listed('X', TWO, { on: null }),
      ],
      ONE,
    ],
    ['a form that no list contradicts is enough', [form4('X', ONE, { on: '2020-03-01' })], ONE],
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

  test('two issuers on recent forms are ambiguous when no list decides', () => {
    expect(
      resolve('X', [form4('X', ONE, { on: '2020-02-01' }), form4('X', TWO, { on: '2020-03-30' })]).kind,
    ).toBe('ambiguous');
  });

  test('one form against the list is ambiguous when no description decides', () => {
    const mappings = [form4('X', ONE, { on: '2020-03-01' }), listed('X', TWO, { on: null })];
    expect(resolve('X', mappings).kind).toBe('ambiguous');
  });

  test('a form after the as-of date is ignored', () => {
    expect(resolve('X', [form4('X', ONE, { on: '2020-04-01' })]).kind).toBe('unknown');
  });

  test('a later or undated list has the reason of a later source', () => {
    expect(resolve('X', [listed('X', ONE, { on: '2021-01-01' })])).toMatchObject({
      reasons: ['mapping_later_source'],
    });
    expect(resolve('X', [listed('X', ONE, { on: null })])).toMatchObject({
      reasons: ['mapping_later_source'],
    });
    expect(resolve('X', [listed('X', ONE, { on: '2023-01-01' })]).kind).toBe('unknown');
  });

  test('its registered name wins over the shortened one of the fails file', () => {
    const mappings = [fails('X', APPLE, { name: 'APPL' }), listed('X', ONE, { name: 'Apple Inc.' })];
    expect(resolve('X', mappings)).toMatchObject({ name: 'Apple Inc.' });
  });
});
