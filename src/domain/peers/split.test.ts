import fc from 'fast-check';
import { expect, it } from 'vitest';
import { numberOf, SPLIT_RATIOS, splitSuspected } from './split.ts';

type Sides = { amount: bigint; valueCents: bigint; priorAmount: bigint; priorValueCents: bigint };
const equity = (sides: Sides) => ({ amountType: 'SH' as const, putCall: null, reasons: [], ...sides });
const PRIOR = { priorAmount: 100_000n, priorValueCents: 1_000_000_000n };

it('a share count times four at a quarter of the price is suspected', () => {
  expect(splitSuspected(equity({ ...PRIOR, amount: 400_000n, valueCents: 1_050_000_000n }))).toBe(true);
});

it('a split of 4 or more with a small trade is still suspected, one with a large trade is not (rule 4.7)', () => {
  expect(splitSuspected(equity({ ...PRIOR, amount: 418_000n, valueCents: 1_050_000_000n }))).toBe(true);
  expect(splitSuspected(equity({ ...PRIOR, amount: 450_000n, valueCents: 1_100_000_000n }))).toBe(false);
});

it('a reverse split of one for ten is suspected', () => {
  expect(splitSuspected(equity({ ...PRIOR, amount: 10_000n, valueCents: 900_000_000n }))).toBe(true);
});

it('below 4 for 1 only the exact count is suspected (rule 4.7)', () => {
  const at = (amount: bigint) => splitSuspected(equity({ ...PRIOR, amount, valueCents: 1_000_000_000n }));
  expect([at(200_000n), at(200_100n), at(199_900n), at(50_025n * 2n)]).toEqual([true, true, true, false]);
  expect([at(200_101n), at(199_899n), at(125_063n), at(50_026n)]).toEqual([false, false, false, false]);
  const small = (amount: bigint) =>
    splitSuspected(
      equity({ priorAmount: 1_001n, priorValueCents: 10_010_000n, amount, valueCents: 10_010_000n }),
    );
  expect([small(1_501n), small(1_502n), small(1_503n)]).toEqual([true, true, false]);
});

it('an ordinary doubling or halving at a steady price is not', () => {
  expect(splitSuspected(equity({ ...PRIOR, amount: 200_000n, valueCents: 2_000_000_000n }))).toBe(false);
  expect(splitSuspected(equity({ ...PRIOR, amount: 50_000n, valueCents: 500_000_000n }))).toBe(false);
});

it('a quarter more at a steady price is within 35 % of 5 for 4 and stays suspected without votes', () => {
  expect(splitSuspected(equity({ ...PRIOR, amount: 125_000n, valueCents: 1_250_000_000n }))).toBe(true);
});

it('the price must be within 35 % of the inverse', () => {
  const at = (valueCents: bigint) => splitSuspected(equity({ ...PRIOR, amount: 200_000n, valueCents }));
  expect(at(1_349_000_000n)).toBe(true);
  expect(at(1_351_000_000n)).toBe(false);
  expect(at(651_000_000n)).toBe(true);
  expect(at(649_000_000n)).toBe(false);
});

it('from 4 for 1 on a price nearer to the inverse than to no move is enough (rule 4.7)', () => {
  const at = (amount: bigint, valueCents: bigint) => splitSuspected(equity({ ...PRIOR, amount, valueCents }));
  // 10 for 1 with a rise of 37 %, 4 for 1 with a fall of 42 %, 5 for 1 with a doubled price.
  expect(at(1_000_000n, 1_367_000_000n)).toBe(true);
  expect(at(400_000n, 580_000_000n)).toBe(true);
  expect(at(500_000n, 1_990_000_000n)).toBe(true);
  expect(at(400_000n, 2_010_000_000n)).toBe(false);
  expect(at(300_000n, 1_400_000_000n)).toBe(false);
});

it('a price whose scale is in doubt may be off by factors of a thousand, and by nothing else (rule 4.7)', () => {
  const at = (valueCents: bigint) => {
    const sides = equity({ ...PRIOR, amount: 200_000n, valueCents });
    return [splitSuspected(sides), splitSuspected({ ...sides, reasons: ['value_unit_unverified'] })];
  };
  expect(at(1_000_000_000n)).toEqual([true, true]);
  expect(at(1_010_000_000_000n)).toEqual([false, true]);
  expect(at(1_010_000n)).toEqual([false, true]);
  expect(at(2_000_000_000n)).toEqual([false, false]);
  expect(at(2_000_000_000_000n)).toEqual([false, false]);
});

it('options, principal, and sides that are absent or without value are never suspected', () => {
  const split = { ...PRIOR, amount: 200_000n, valueCents: 1_000_000_000n };
  expect(splitSuspected({ ...equity(split), putCall: 'CALL' })).toBe(false);
  expect(splitSuspected({ ...equity(split), amountType: 'PRN' })).toBe(false);
  expect(splitSuspected(equity({ ...split, valueCents: 0n }))).toBe(false);
  expect(splitSuspected(equity({ ...split, priorAmount: 0n }))).toBe(false);
});

it('every candidate factor at the exact inverse price is suspected', () => {
  const prior = { priorAmount: 30_000_000n, priorValueCents: 10n ** 12n };
  for (const factor of SPLIT_RATIOS.map(numberOf)) {
    const amount = BigInt(Math.round(30_000_000 * factor));
    expect(splitSuspected(equity({ ...prior, amount, valueCents: 10n ** 12n }))).toBe(true);
  }
});

it('no trade of more than half at a steady price is suspected', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 1_600_000n, max: 10n ** 10n }), (amount) => {
      const held = {
        amount,
        valueCents: amount * 10_000n,
        priorAmount: 1_000_000n,
        priorValueCents: 10n ** 10n,
      };
      return !splitSuspected(equity(held));
    }),
  );
});
