import { expect, it } from 'vitest';
import { filer, holding, moved, peersOf, type SampleHolding, stock } from './peers.sample.ts';

const positionsOf = (by: number, count = 5, shares = 1_000n): SampleHolding[] =>
  Array.from({ length: count }, (_, at) => holding(by, stock(at + 1), { amount: shares + BigInt(at) }));
const twinOf = (by: number, holdings: readonly SampleHolding[]) =>
  peersOf(holdings).verdicts.get(filer(by))?.identicalTo ?? null;

it('managers with the same positions name the lowest CIK of the others (rule 4.10)', () => {
  const holdings = [...positionsOf(7), ...positionsOf(3), ...positionsOf(5), ...positionsOf(4, 5, 2_000n)];
  expect([3, 4, 5, 7].map((by) => twinOf(by, holdings))).toEqual([filer(5), null, filer(3), filer(3)]);
});

it('one more share or one more security makes other positions (rule 4.10)', () => {
  const [first, ...others] = positionsOf(2) as [SampleHolding, ...SampleHolding[]];
  expect(twinOf(1, [...positionsOf(1), { ...first, amount: 1_001n }, ...others])).toBeNull();
  expect(twinOf(1, [...positionsOf(1), ...positionsOf(2), holding(2, stock(9))])).toBeNull();
});

it('values are not compared, because their scale may be wrong (rule 4.10)', () => {
  const cheap = positionsOf(2).map((one) => ({ ...one, valueCents: one.valueCents / 1_000n }));
  expect(twinOf(1, [...positionsOf(1), ...cheap])).toBe(filer(2));
});

it('four positions may be alike by chance (rule 4.10)', () => {
  expect(twinOf(1, [...positionsOf(1, 4), ...positionsOf(2, 4)])).toBeNull();
});

it('positions of the quarter before are not compared (rule 4.10)', () => {
  const before = positionsOf(2).map((one) => ({ ...one, side: 'prior' as const }));
  expect(twinOf(1, [...positionsOf(1), ...before, ...moved(2, stock(9), [1n, 1n])])).toBeNull();
});
