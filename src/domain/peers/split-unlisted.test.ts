import { expect, it } from 'vitest';
import { moved, peersOf, type SampleHolding, stock } from './peers.sample.ts';

const APPLE = stock(1);
const holders = (
  count: number,
  shares: readonly [bigint, bigint],
  { from = 1, prices = [10_000n, 9_000n] as readonly [bigint, bigint] } = {},
): SampleHolding[] =>
  Array.from({ length: count }, (_, at) => moved(from + at, APPLE, shares, prices)).flat();
const corporateActionsOf = (holdings: readonly SampleHolding[]) => peersOf(holdings).peers.corporateActions;

it('a ratio off the list that most holders moved by is reported, such as a stock dividend (rule 4.6)', () => {
  expect(
    corporateActionsOf([...holders(6, [20_000n, 21_000n]), ...holders(4, [20_000n, 20_000n], { from: 7 })]),
  ).toEqual([
    {
      kind: 'common_ratio',
      cusip: APPLE,
      factor: { numerator: 21n, denominator: 20n },
      votes: 6,
      compared: 10,
    },
  ]);
  expect(
    corporateActionsOf([...holders(5, [20_000n, 21_000n]), ...holders(4, [20_000n, 20_000n], { from: 7 })]),
  ).toEqual([]);
  expect(corporateActionsOf(holders(4, [20_000n, 21_000n]))).toEqual([]);
});

it('a ratio off the list is reported at any price, and one near 1 is no move (rule 4.6)', () => {
  const at = (amount: bigint, price: bigint) =>
    corporateActionsOf(holders(6, [30_000n, amount], { prices: [10_000n, price] }));
  const told = [{ kind: 'common_ratio', factor: { numerator: 4n, denominator: 3n } }];
  expect([at(40_000n, 7_500n), at(40_000n, 10_200n), at(40_000n, 0n)]).toMatchObject([told, told, told]);
  expect(at(30_150n, 9_950n)).toEqual([]);
  expect(at(30_300n, 9_900n)).toHaveLength(1);
});

it('a ratio off the list is reported in lowest terms, however small it is (rule 4.6)', () => {
  const at = (shares: readonly [bigint, bigint], price: bigint) =>
    corporateActionsOf(holders(5, shares, { prices: [1_000n, price] }));
  expect(at([1_800_000n, 10_000n], 180_000n)).toMatchObject([
    { factor: { numerator: 1n, denominator: 180n } },
  ]);
  expect(at([3_000_000n, 10_000n], 300_000n)).toMatchObject([
    { factor: { numerator: 1n, denominator: 300n } },
  ]);
});
