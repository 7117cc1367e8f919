import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Cusip } from '../ids.ts';
import { NO_CONVERSIONS } from '../peers/verdict.ts';
import { WHOLE } from '../ratio.ts';
import type { PricedSecurity } from '../report/implied-price.ts';
import type { CopiedPosition } from './portfolio.ts';
import { copiedReturn, returnsOver, turnoverOf } from './return.ts';

const cusipOf = (n: number) => `X${String(n).padStart(8, '0')}` as Cusip;
const copiedOf = (n: number, weight: bigint): CopiedPosition => ({ cusip: cusipOf(n), weight });

/** Every security starts at 100; null has no price at the end. */
function period(ends: readonly (bigint | null)[]) {
  const priced = (valueCents: bigint): PricedSecurity => ({
    valueCents,
    shares: 1n,
    filers: 3,
    compared: 3,
    unchanged: 3,
    splitLike: 0,
  });
  const to = ends.flatMap((end, n): [Cusip, PricedSecurity][] =>
    end === null ? [] : [[cusipOf(n), priced(end)]],
  );
  const from = new Map(ends.map((_, n) => [cusipOf(n), priced(100n)]));
  return returnsOver({ from, to: new Map(to), conversions: NO_CONVERSIONS });
}

describe('the return of a copied portfolio', () => {
  it('is the weighted mean over the priced positions; without a price at the end the others earn nothing, or lose all (rule 9.2)', () => {
    const earned = copiedReturn(
      [copiedOf(0, 1n), copiedOf(1, 2n), copiedOf(2, 1n)],
      period([120n, 90n, null]),
    );
    expect(earned).toEqual({ priced: 0n, carried: 0n, lost: -250_000_000n, pricedWeight: 750_000_000n });
    expect(copiedReturn([copiedOf(0, 1n), copiedOf(1, 3n)], period([140n, null]))).toEqual({
      priced: 400_000_000n,
      carried: 100_000_000n,
      lost: -650_000_000n,
      pricedWeight: 250_000_000n,
    });
  });

  it('is null for an empty portfolio, and unknown where nothing is priced', () => {
    expect(copiedReturn([], period([]))).toBeNull();
    expect(copiedReturn([copiedOf(0, 1n)], period([null]))).toEqual({
      priced: null,
      carried: 0n,
      lost: -1_000_000_000n,
      pricedWeight: 0n,
    });
  });

  it('a position without a price when it is bought loses nothing: no copier has it (rule 9.2)', () => {
    const over = returnsOver({ from: new Map(), to: new Map(), conversions: NO_CONVERSIONS });
    expect(copiedReturn([copiedOf(0, 1n)], over)).toMatchObject({ carried: 0n, lost: 0n });
  });

  it('lies between its worst and its best position, in any order of the positions', () => {
    const position = fc.record({
      weight: fc.bigInt({ min: 1n, max: 1_000n }),
      end: fc.bigInt({ min: 1n, max: 900n }),
    });
    fc.assert(
      fc.property(fc.array(position, { minLength: 1, maxLength: 20 }), (positions) => {
        const over = period(positions.map(({ end }) => end));
        const copied = positions.map(({ weight }, n) => copiedOf(n, weight));
        const earned = copiedReturn(copied, over)?.priced ?? 0n;
        const gains = positions.map(({ end }) => (end - 100n) * (WHOLE / 100n));
        expect(gains.some((gain) => gain <= earned)).toBe(true);
        expect(gains.some((gain) => gain >= earned)).toBe(true);
        expect(copiedReturn(copied.toReversed(), over)?.priced).toBe(earned);
      }),
    );
  });
});

describe('turnover', () => {
  it('is 0 for the same weights at any scale, and 1 for two portfolios without a common position', () => {
    const before = [copiedOf(0, 1n), copiedOf(1, 1n)];
    expect(turnoverOf(before, [copiedOf(1, 5n), copiedOf(0, 5n)])).toBe(0n);
    expect(turnoverOf(before, [copiedOf(2, 1n)])).toBe(WHOLE);
    expect(turnoverOf(before, [copiedOf(0, 3n), copiedOf(1, 1n)])).toBe(WHOLE / 4n);
    // One portfolio after others than the last time.
    const after = [copiedOf(0, 1n)];
    expect([before, [copiedOf(0, 2n)], [], before].map((earlier) => turnoverOf(earlier, after))).toEqual([
      WHOLE / 2n,
      0n,
      null,
      WHOLE / 2n,
    ]);
  });

  it('is 0 where two securities became one and its holder kept it', () => {
    expect(turnoverOf([copiedOf(0, 1n), copiedOf(0, 1n)], [copiedOf(0, 3n)])).toBe(0n);
  });

  it('is unknown if one of the two is empty', () => {
    expect(turnoverOf([], [copiedOf(0, 1n)])).toBeNull();
    expect(turnoverOf([copiedOf(0, 1n)], [])).toBeNull();
  });
});
