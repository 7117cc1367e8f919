import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ParseError } from './parse-error.ts';
import { dateOf, decimalOf, flagOf, parseAmount, squeeze } from './value.ts';

test.each([
  ['1234', 1234n, false],
  ['1,234', 1234n, false],
  ['12,345,678', 12345678n, false],
  ['10.0', 10n, false],
  ['10.', 10n, false],
  [' 7 \n', 7n, false],
  ['999999999999999999999999999999', 999999999999999999999999999999n, false],
  ['0.5', 0n, true],
  ['1.5', 2n, true],
  ['2.5', 2n, true],
  ['2.51', 3n, true],
  ['2.49', 2n, true],
  ['-3', -3n, false],
  ['-3.5', -4n, true],
])('the amount %j is exactly %s', (text, value, fractional) => {
  expect(parseAmount(text)).toEqual({ value, fractional });
});

test.each([
  '',
  ' ',
  '1e9',
  'NaN',
  'Infinity',
  '(5)',
  '1,23',
  '0,123',
  '012,345',
  '-0,750',
  '1.234,5',
  '0x1F',
  '--1',
  '1 2',
  `1${'0'.repeat(30)}`,
])('%j is no amount', (text) => {
  expect(parseAmount(text)).toBeNull();
});

test('an amount of any size never passes through a float', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(10n ** 29n), max: 10n ** 29n }), (value) => {
      expect(parseAmount(value.toString())?.value).toBe(value);
    }),
  );
});

test.each([
  ['65.000', '65.000'],
  ['$1,234.50', '1234.50'],
  [' 14225.8819 ', '14225.8819'],
  ['1,234,567', '1234567'],
  ['$ 12.50', '12.50'],
  ['.5', '0.5'],
  ['5.', '5'],
  ['0', '0'],
  ['-2.5', '-2.5'],
])('the decimal %j keeps every digit: %s', (text, expected) => {
  expect(decimalOf('price', text)).toBe(expected);
});

test('an unreadable price is an error, not a missing price', () => {
  expect(decimalOf('price', null)).toBeNull();
  for (const text of ['N/A', '1e9', 'NaN', '1.2.3', '12,50', '1,2345', '12 50', '12,345,6.7', '0,750'])
    expect(() => decimalOf('price', text)).toThrow(ParseError);
});

test('flags are read in both spellings and keep a third state for absence', () => {
  expect(['1', 'true', 'TRUE', 'Y'].map((text) => flagOf('f', text))).toEqual([true, true, true, true]);
  expect(['0', 'false', 'N'].map((text) => flagOf('f', text))).toEqual([false, false, false]);
  expect(flagOf('f', null)).toBeNull();
  expect(() => flagOf('f', 'maybe')).toThrow(ParseError);
});

test('a date with a zone is the printed day', () => {
  expect(dateOf('d', '2020-01-21-05:00')).toBe('2020-01-21');
  expect(dateOf('d', '2020-01-21Z')).toBe('2020-01-21');
  expect(dateOf('d', '2020-01-21T00:00:00')).toBe('2020-01-21');
  expect(dateOf('d', '0022-01-05')).toBe('0022-01-05');
});

test('30 February is an error, not another day', () => {
  expect(() => dateOf('d', '2020-02-30')).toThrow(ParseError);
  expect(() => dateOf('d', '01/21/2020')).toThrow(ParseError);
});

test('a name broken over lines is joined, and single blanks inside stay', () => {
  expect(squeeze(' A\n\t B  C ')).toBe('A B C');
  expect(squeeze('SPDR S&P 500')).toBe('SPDR S&P 500');
});
