import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isCik, parseAccession, parseCik, parseCusip } from './ids.ts';

it('a CIK of one to ten digits is one manager, and is printed with ten (rule 1.1)', () => {
  expect(['1067983', '0001067983', ' 1067983 '].map(parseCik)).toEqual(Array(3).fill('0001067983'));
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 9_999_999_999 }), (number) => {
      const cik = parseCik(String(number));
      expect(cik).toHaveLength(10);
      expect(Number(cik)).toBe(number);
      expect(parseCik(cik ?? '')).toBe(cik);
    }),
  );
});

it.each(['', '12345678901', '10 67983', '-1067983', '1067983.0', '1e6', 'CIK1067983'])(
  '%j is not a CIK (rule 1.1)',
  (text) => {
    expect(parseCik(text)).toBeNull();
    expect(isCik(text)).toBe(false);
  },
);

it('an accession number is one filing with and without its dashes (rule 1.1)', () => {
  expect(parseAccession('000095012318011885')).toBe('0000950123-18-011885');
  expect(parseAccession('0000950123-18-011885')).toBe('0000950123-18-011885');
  expect(parseAccession('0000950123-18-11885')).toBeNull();
});

it('a CUSIP keeps its zeros, ignores case, and never has ten characters (rule 3.1)', () => {
  expect(['37833100', ' 037833100', '02079k305', '594918 10 4'].map(parseCusip)).toEqual([
    '037833100',
    '037833100',
    '02079K305',
    '594918104',
  ]);
  expect(parseCusip('949773V107 7')).toBeNull();
});
