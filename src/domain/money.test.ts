import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  abs,
  centsToDollarsString,
  dollarsFromCents,
  productToCents,
  roundHalfEvenDiv,
  wholeDollarsFromCents,
} from './money.ts';
import { pctDelta, weightPct } from './ratio.ts';

describe('money', () => {
  it('divides half to even on both sides of zero', () => {
    expect([1n, 3n, 5n, -1n, -3n, -5n].map((n) => roundHalfEvenDiv(n, 2n))).toEqual([
      0n,
      2n,
      2n,
      0n,
      -2n,
      -2n,
    ]);
    expect(roundHalfEvenDiv(5n, -2n)).toBe(-2n);
    expect(roundHalfEvenDiv(7n, -2n)).toBe(-4n);
  });

  it('division is never off by more than a half, and even for ties', () => {
    const divisor = fc.bigInt({ min: -(10n ** 12n), max: 10n ** 12n }).filter((n) => n !== 0n);
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), divisor, (n, d) => {
        const quotient = roundHalfEvenDiv(n, d);
        const error = (n - quotient * d) * 2n;
        const size = error < 0n ? -error : error;
        const limit = d < 0n ? -d : d;
        return size < limit || (size === limit && quotient % 2n === 0n);
      }),
    );
  });

  it('prints cents as dollars and back', () => {
    expect(centsToDollarsString(0n)).toBe('0.00');
    expect(centsToDollarsString(-5n)).toBe('-0.05');
    expect(centsToDollarsString(123_456n)).toBe('1234.56');
    fc.assert(
      fc.property(fc.bigInt(), (cents) => productToCents(centsToDollarsString(cents), '1') === cents),
    );
  });

  it('rounds whole dollars and cents half to even', () => {
    expect([150n, 250n, 251n, -150n].map(wholeDollarsFromCents)).toEqual([2, 2, 3, -2]);
    expect(dollarsFromCents(123_456n)).toBe(1234.56);
    expect(productToCents('1.005', '1')).toBe(100n);
    expect(productToCents('1.015', '1')).toBe(102n);
  });

  it('multiplies fractional shares and prices exactly and rounds once', () => {
    expect(productToCents('100.5', '12.345')).toBe(124_067n);
    expect(productToCents('3', '0.335')).toBe(100n); // 100.5 cents, a tie
    expect(productToCents('1000000000000', '999999.9999')).toBe(99_999_999_990_000_000_000n);
  });

  it('returns null for text that is not a plain decimal', () => {
    for (const text of ['', 'NaN', '1e9', '1,000', '0x10', ' 1', '.'])
      expect(productToCents(text, '1')).toBeNull();
    expect(productToCents('1', 'abc')).toBeNull();
  });
});

describe('percentages', () => {
  it('have four decimals, half to even', () => {
    expect(pctDelta(4n, 3n)).toBe(33.3333);
    expect(pctDelta(1n, 3n)).toBe(-66.6667);
    expect(pctDelta(10_000_005n, 10_000_000n)).toBe(0);
    expect(pctDelta(10_000_015n, 10_000_000n)).toBe(0.0002);
  });

  it('are 100 from zero, -100 to zero and 0 when unchanged', () => {
    expect(pctDelta(7n, 0n)).toBe(100);
    expect(pctDelta(0n, 7n)).toBe(-100);
    expect(pctDelta(7n, 7n)).toBe(0);
    expect(pctDelta(0n, 0n)).toBe(0);
  });

  it('are the same in doubles and in BigInt, on both sides of the largest exact double', () => {
    const near = fc.oneof(
      fc.bigInt({ min: -50n, max: 50n }),
      fc.bigInt({ min: -20_000_000_000n, max: 20_000_000_000n }),
      fc.bigInt({ min: -(2n ** 62n), max: 2n ** 62n }),
    );
    fc.assert(
      fc.property(near, near, fc.boolean(), (previous, other, isClose) => {
        const current = isClose ? previous + (other % 100n) : other;
        if (previous === 0n || current === 0n) return;
        const exact = roundHalfEvenDiv((current - previous) * 1_000_000n, abs(previous));
        expect(pctDelta(current, previous)).toBe(Number(exact) / 10_000);
      }),
      { numRuns: 5_000 },
    );
  });

  it('stay exact where floating point would not', () => {
    const huge = 10n ** 30n;
    expect(pctDelta(huge + huge / 8n, huge)).toBe(12.5);
  });

  it('weigh a part of a total, and are 0 when the total is 0', () => {
    expect(weightPct(1n, 3n)).toBe(33.3333);
    expect(weightPct(5n, 5n)).toBe(100);
    expect(weightPct(0n, 0n)).toBe(0);
  });
});
