import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Reason } from '../quality/quality.ts';
import type { FiledPosition } from './filed-security.ts';
import { filer } from './peers.sample.ts';
import { medianOf, medianOfOthers, medianPrice, medianWithout, quotesOf } from './price.ts';

const ACCESSION = '0000000001-24-000001' as never;
const DOLLARS = new Map([[ACCESSION, 100n]]);
const position = (by: number, price: bigint, fields: Partial<FiledPosition> = {}): FiledPosition => ({
  cik: filer(by),
  issuer: 'ISSUER',
  amount: 1_000n,
  valueCents: 1_000n * price,
  accession: ACCESSION,
  reasons: [],
  ...fields,
});
const priced = (positions: readonly FiledPosition[]) => quotesOf(positions, DOLLARS).all.length;

it('no filer confirms its own price: the median is over the others (rule 4.2)', () => {
  const quotes = quotesOf(
    [position(1, 1_000n), position(2, 2_000n), position(3, 3_000n), position(4, 9_000n)],
    DOLLARS,
  );
  expect(medianOfOthers(quotes, filer(4))).toBeCloseTo(Math.log10(2_000), 9);
  expect(medianOfOthers(quotes, filer(1))).toBeCloseTo(Math.log10(3_000), 9);
  expect(medianPrice(quotes)).toBeCloseTo(Math.log10(Math.sqrt(6_000_000)), 9);
});

it('two other filers make no price, three do (rule 4.2)', () => {
  const two = quotesOf([position(1, 1_000n), position(2, 2_000n), position(3, 3_000n)], DOLLARS);
  expect(medianOfOthers(two, filer(1))).toBeNull();
  expect(medianOfOthers(two, filer(4))).not.toBeNull();
});

it('shares that repeat the value, sums of several filings and values of few units are no quote (rule 4.2)', () => {
  expect(priced([position(1, 2_000n)])).toBe(1);
  expect(priced([position(1, 100n)])).toBe(0);
  expect(priced([position(1, 2_000n, { accession: null })])).toBe(0);
  expect(priced([position(1, 1n, { amount: 1_000n })])).toBe(1);
  expect(priced([position(1, 1n, { amount: 900n, valueCents: 900n })])).toBe(0);
});

it.each<Reason>(['cusip_malformed', 'cusip_checksum_failed', 'amount_negative', 'amount_implausible'])(
  'a row with %s is no quote (rule 4.2)',
  (reason) => {
    expect(priced([position(1, 2_000n, { reasons: [reason] })])).toBe(0);
  },
);

it('a reason that the peers concluded does not remove a quote: they never feed on themselves (rule 4.1)', () => {
  expect(priced([position(1, 2_000n, { reasons: ['implied_price_outlier', 'value_unit_unverified'] })])).toBe(
    1,
  );
});

it('the median without one member is that of the list without it', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: -5, max: 5 }), { minLength: 4, maxLength: 12 }),
      fc.nat(),
      (numbers, pick) => {
        const at = pick % numbers.length;
        const sorted = Float64Array.from(numbers).sort();
        const others = Float64Array.from(numbers.toSpliced(at, 1)).sort();
        expect(medianWithout(sorted, numbers[at] as number)).toBe(medianOf(others));
      },
    ),
  );
});
