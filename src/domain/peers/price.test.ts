import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Reason } from '../quality/quality.ts';
import { middleOf, priceOfOthers, priceWithout, quotesOf } from './peer-price.ts';
import { holding, quartersOf, reportsOf, type SampleHolding, stock } from './peers.sample.ts';
import { medianOf } from './split.ts';

const position = (by: number, price: bigint, fields: Partial<SampleHolding> = {}): SampleHolding =>
  holding(by, stock(1), { amount: 1_000n, price, ...fields });

function quotesIn(holdings: readonly SampleHolding[]) {
  const reports = reportsOf('current', holdings);
  const { current: quarter } = quartersOf({ prior: [], current: reports, next: [] });
  return { quarter, quotes: quotesOf(quarter, 0) };
}

const priced = (holdings: readonly SampleHolding[]) => quotesIn(holdings).quotes.rows.length;

it('no filer confirms its own price: the median is over the others (rule 4.2)', () => {
  const four = quotesIn([position(1, 1_000n), position(2, 2_000n), position(3, 3_000n), position(4, 9_000n)]);
  expect(priceOfOthers(four.quarter, 0, 3)).toBeCloseTo(Math.log10(2_000), 9);
  expect(priceOfOthers(four.quarter, 0, 0)).toBeCloseTo(Math.log10(3_000), 9);
  expect(priceOfOthers(four.quarter, 0)).toBeCloseTo(Math.log10(Math.sqrt(6_000_000)), 9);
});

it('two other filers make no price, three do (rule 4.2)', () => {
  const three = quotesIn([position(1, 1_000n), position(2, 2_000n), position(3, 3_000n)]);
  expect(priceOfOthers(three.quarter, 0, 0)).toBeNaN();
  expect(priceOfOthers(three.quarter, 0, 9)).not.toBeNaN();
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
        const middle = middleOf(Float64Array.from(numbers));
        const others = Float64Array.from(numbers.toSpliced(at, 1)).sort();
        expect(priceWithout(middle, numbers[at] as number)).toBe(medianOf(others));
      },
    ),
  );
});
