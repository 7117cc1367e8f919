import { expect, it } from 'vitest';
import { moved, peersOf, type SampleHolding, stock } from './peers.sample.ts';

const APPLE = stock(1);
const holders = (
  count: number,
  shares: readonly [bigint, bigint],
  { from = 1, prices = [90_000n, 9_500n] as readonly [bigint, bigint] } = {},
): SampleHolding[] =>
  Array.from({ length: count }, (_, at) => moved(from + at, APPLE, shares, prices)).flat();
const corporateActionsOf = (holdings: readonly SampleHolding[]) => peersOf(holdings).peers.corporateActions;
/** Each traded another part of its shares beside a 10 for 1. */
const traded = (count: number, from: number) =>
  Array.from({ length: count }, (_, at) =>
    holders(1, [1_000n, 8_100n + 70n * BigInt(at)], { from: from + at }),
  );

it('a split that too few moved by exactly, and most near it, is in doubt for all (rule 4.6)', () => {
  const few = [...holders(2, [1_000n, 10_000n]), ...traded(10, 3).flat()];
  expect(corporateActionsOf(few)).toEqual([
    {
      kind: 'common_ratio',
      cusip: APPLE,
      factor: { numerator: 10n, denominator: 1n },
      votes: 12,
      compared: 12,
    },
  ]);
});

it('most is three fifths of the holders, five at least, and near is within a quarter (rule 4.6)', () => {
  const bought = (count: number) => holders(count, [1_000n, 1_300n], { from: 20 });
  expect(corporateActionsOf([...traded(6, 1).flat(), ...bought(4)])).toMatchObject([
    { votes: 6, compared: 10 },
  ]);
  expect(corporateActionsOf([...traded(6, 1).flat(), ...bought(5)])).toEqual([]);
  expect(corporateActionsOf(traded(4, 1).flat())).toEqual([]);
  const at = (amount: bigint) =>
    corporateActionsOf(holders(6, [1_000_000n, amount], { prices: [40_000n, 10_000n] }));
  expect([at(4_999_999n), at(3_200_001n)]).toMatchObject([[{ votes: 6 }], [{ votes: 6 }]]);
});

it('a price nearer to where it was than to the inverse speaks against it (rule 4.6)', () => {
  const at = (price: bigint) =>
    corporateActionsOf(
      [1, 2, 3, 4, 5, 6].flatMap((one) =>
        holders(1, [1_000n, 3_700n + BigInt(one) * 100n], { from: one, prices: [40_000n, price] }),
      ),
    );
  expect(at(19_000n)).toHaveLength(1);
  expect(at(30_000n)).toEqual([]);
});

it('a small split is in doubt where a quorum moved by it and almost no holder stood still (rule 4.6)', () => {
  const prices = [9_000n, 6_000n] as const;
  const exact = holders(9, [1_000n, 1_500n], { prices });
  const others = Array.from({ length: 9 }, (_, at) =>
    holders(1, [1_000n, 600n + 90n * BigInt(at)], { prices, from: 10 + at }),
  ).flat();
  const still = (count: number) => holders(count, [1_000n, 1_000n], { prices, from: 30 });
  expect(corporateActionsOf([...exact, ...others, ...still(2)])).toMatchObject([
    { kind: 'common_ratio', factor: { numerator: 3n, denominator: 2n }, votes: 9, compared: 20 },
  ]);
  expect(corporateActionsOf([...exact, ...others, ...still(3)])).toEqual([]);
});

it('a split that most moved by exactly is in doubt at any price, and reported with its own factor (rule 4.6)', () => {
  // 2 for 1 beside a rise by 45 %: the price is nearer to where it was.
  const at = (prices: readonly [bigint, bigint]) =>
    corporateActionsOf([
      ...holders(12, [1_000n, 2_000n], { prices }),
      ...holders(8, [1_000n, 1_790n], { prices, from: 13 }),
    ]);
  const told = { kind: 'common_ratio', factor: { numerator: 2n, denominator: 1n }, votes: 12, compared: 20 };
  expect(at([10_000n, 7_250n])).toMatchObject([told]);
  expect(at([10_000n, 0n])).toMatchObject([told]);
  const tenfold = holders(20, [1_000n, 10_000n], { prices: [10_000n, 3_200n] });
  expect(corporateActionsOf(tenfold)).toMatchObject([
    { factor: { numerator: 10n, denominator: 1n }, votes: 20 },
  ]);
});

it('no holder is in doubt where more than one in four stood still (rule 4.6)', () => {
  const prices = [10_000n, 14_500n] as const;
  const halved = Array.from({ length: 12 }, (_, at) =>
    holders(1, [1_000n, 420n + 14n * BigInt(at)], { prices, from: 1 + at }),
  ).flat();
  const still = (count: number) => holders(count, [1_000n, 1_000n], { prices, from: 20 });
  expect(corporateActionsOf([...halved, ...still(3)])).toMatchObject([{ kind: 'common_ratio' }]);
  expect(corporateActionsOf([...halved, ...still(8)])).toMatchObject([{ kind: 'refuted' }]);
});
