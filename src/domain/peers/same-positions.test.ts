import { expect, it } from 'vitest';
import { filer, holding, moved, peersOf, type SampleHolding, stock } from './peers.sample.ts';

const book = (by: number, count = 5, shares = 1_000n): SampleHolding[] =>
  Array.from({ length: count }, (_, at) => holding(by, stock(at + 1), { amount: shares + BigInt(at) }));
const twinOf = (by: number, holdings: readonly SampleHolding[]) =>
  peersOf(holdings).verdicts.get(filer(by))?.identicalTo ?? null;

it('managers of one and the same book name the lowest CIK of the others (rule 4.10)', () => {
  const holdings = [...book(7), ...book(3), ...book(5), ...book(4, 5, 2_000n)];
  expect([3, 4, 5, 7].map((by) => twinOf(by, holdings))).toEqual([filer(5), null, filer(3), filer(3)]);
});

it('one share, or one security, more makes another book (rule 4.10)', () => {
  const [first, ...others] = book(2) as [SampleHolding, ...SampleHolding[]];
  expect(twinOf(1, [...book(1), { ...first, amount: 1_001n }, ...others])).toBeNull();
  expect(twinOf(1, [...book(1), ...book(2), holding(2, stock(9))])).toBeNull();
});

it('values do not tell books apart: their unit may be wrong (rule 4.10)', () => {
  const cheap = book(2).map((one) => ({ ...one, valueCents: one.valueCents / 1_000n }));
  expect(twinOf(1, [...book(1), ...cheap])).toBe(filer(2));
});

it('books of four positions may be alike by chance (rule 4.10)', () => {
  expect(twinOf(1, [...book(1, 4), ...book(2, 4)])).toBeNull();
});

it('a book of the quarter before is another quarter (rule 4.10)', () => {
  const before = book(2).map((one) => ({ ...one, side: 'prior' as const }));
  expect(twinOf(1, [...book(1), ...before, ...moved(2, stock(9), [1n, 1n])])).toBeNull();
});
