import { expect, it } from 'vitest';
import { NO_CONVERSIONS } from '../peers/verdict.ts';
import type { PricedSecurity } from '../report/implied-price.ts';
import type { SplitFactor } from '../report/report.ts';
import { UP_AND_DOWN } from './rank.sample.ts';
import { priceReturn } from './return.ts';

const [CUSIP = 'G00000001' as never] = UP_AND_DOWN;

const HELD_THROUGH = { filers: 3, compared: 3, unchanged: 3, splitLike: 0 };
const at = (valueCents: bigint, evidence: Partial<PricedSecurity> = {}): PricedSecurity => ({
  valueCents,
  shares: 3n,
  ...HELD_THROUGH,
  ...evidence,
});

function earned(before: PricedSecurity | null, after: PricedSecurity | null, factor?: SplitFactor) {
  const table = (price: PricedSecurity | null) => new Map(price === null ? [] : [[CUSIP, price]]);
  const conversions = factor === undefined ? NO_CONVERSIONS : new Map([[CUSIP, factor]]);
  return priceReturn(CUSIP, { from: table(before), to: table(after), conversions });
}

it('is the change of the price in billionths', () => {
  expect(earned(at(300n), at(330n))).toBe(100_000_000n);
  expect(earned(at(300n), at(299n))).toBe(-3_333_333n);
});

it('is gone without a price at the end, and null without one at the start (rule 9.2)', () => {
  expect(earned(at(300n), null)).toBe('gone');
  expect(earned(null, at(300n))).toBeNull();
});

it('a suspected split without a vote is unpriced; a confirmed one restates the price', () => {
  const split = at(80n, { compared: 4, unchanged: 0, splitLike: 2 });
  expect(earned(at(300n), split)).toBeNull();
  expect(earned(at(300n), split, { numerator: 4n, denominator: 1n })).toBe(66_666_667n);
  expect(earned(at(300n), at(2_700n), { numerator: 1n, denominator: 10n })).toBe(-100_000_000n);
});

it('a holder that bought a quarter more is no split while others stand still or trade otherwise', () => {
  expect(earned(at(300n), at(330n, { compared: 4, unchanged: 2, splitLike: 2 }))).toBe(100_000_000n);
  expect(earned(at(300n), at(330n, { compared: 5, unchanged: 0, splitLike: 1 }))).toBe(100_000_000n);
});

it('without a holder of both quarters, a price that moved more than 35 percent is unpriced', () => {
  const unseen = { compared: 0, unchanged: 0 };
  expect(earned(at(300n), at(150n, unseen))).toBeNull();
  expect(earned(at(300n), at(420n, unseen))).toBeNull();
  expect(earned(at(300n), at(400n, unseen))).toBe(333_333_333n);
  expect(earned(at(300n), at(150n))).toBe(-500_000_000n);
});

it('a security with a new CUSIP continues at the new price times the factor (rule 9.2)', () => {
  const renamed = 'G00000999' as never;
  const from = new Map([[CUSIP, at(300n)]]);
  const to = new Map([[renamed, at(2_700n)]]);
  const conversions = new Map([[CUSIP, { numerator: 1n, denominator: 10n, cusip: renamed }]]);
  expect(priceReturn(CUSIP, { from, to, conversions })).toBe(-100_000_000n);
  expect(priceReturn(CUSIP, { from, to, conversions: NO_CONVERSIONS })).toBe('gone');
});
