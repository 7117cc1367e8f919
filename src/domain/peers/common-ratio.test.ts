import { expect, it } from 'vitest';
import { corporateActionsOf, holdersOf, stock } from './peers.sample.ts';

const APPLE = stock(1);
const anyHolders = holdersOf(APPLE, [10_000n, 9_000n]);
const holders = holdersOf(APPLE, [90_000n, 9_500n]);
/** Each traded another part of its shares in the quarter of a 10 for 1. */
const traded = (count: number, from: number) =>
  Array.from({ length: count }, (_, at) =>
    holders(1, [1_000n, 8_100n + 70n * BigInt(at)], { from: from + at }),
  );

it('all holders are in doubt where too few moved exactly by a split, and most nearly (rule 4.6)', () => {
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

it('most means three fifths of at least five holders, and nearly means within a quarter (rule 4.6)', () => {
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

it('a price that is nearer to no move than to the inverse speaks against a split (rule 4.6)', () => {
  const at = (price: bigint) =>
    corporateActionsOf(
      [1, 2, 3, 4, 5, 6].flatMap((one) =>
        holders(1, [1_000n, 3_700n + BigInt(one) * 100n], { from: one, prices: [40_000n, price] }),
      ),
    );
  expect(at(19_000n)).toHaveLength(1);
  expect(at(30_000n)).toEqual([]);
});

it('a small split is in doubt where a quorum moved by it and few holders stood still (rule 4.6)', () => {
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
  // 2 for 1 with a rise of 45 %: the price is nearer to no move.
  const at = (prices: readonly [bigint, bigint]) =>
    corporateActionsOf([
      ...holders(12, [1_000n, 2_000n], { prices }),
      ...holders(8, [1_000n, 1_790n], { prices, from: 13 }),
    ]);
  const expected = {
    kind: 'common_ratio',
    factor: { numerator: 2n, denominator: 1n },
    votes: 12,
    compared: 20,
  };
  expect(at([10_000n, 7_250n])).toMatchObject([expected]);
  expect(at([10_000n, 0n])).toMatchObject([expected]);
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

it('a ratio of most holders that is not on the list is reported, such as a stock dividend (rule 4.6)', () => {
  expect(
    corporateActionsOf([
      ...anyHolders(6, [20_000n, 21_000n]),
      ...anyHolders(4, [20_000n, 20_000n], { from: 7 }),
    ]),
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
    corporateActionsOf([
      ...anyHolders(5, [20_000n, 21_000n]),
      ...anyHolders(4, [20_000n, 20_000n], { from: 7 }),
    ]),
  ).toEqual([]);
  expect(corporateActionsOf(anyHolders(4, [20_000n, 21_000n]))).toEqual([]);
});

it('a ratio that is not on the list is reported at any price; near 1 it is no move (rule 4.6)', () => {
  const at = (amount: bigint, price: bigint) =>
    corporateActionsOf(anyHolders(6, [30_000n, amount], { prices: [10_000n, price] }));
  const expected = [{ kind: 'common_ratio', factor: { numerator: 4n, denominator: 3n } }];
  expect([at(40_000n, 7_500n), at(40_000n, 10_200n), at(40_000n, 0n)]).toMatchObject([
    expected,
    expected,
    expected,
  ]);
  expect(at(30_150n, 9_950n)).toEqual([]);
  expect(at(30_300n, 9_900n)).toHaveLength(1);
});

it('a ratio that is not on the list is reported in lowest terms (rule 4.6)', () => {
  const at = (shares: readonly [bigint, bigint], price: bigint) =>
    corporateActionsOf(anyHolders(5, shares, { prices: [1_000n, price] }));
  expect(at([1_800_000n, 10_000n], 180_000n)).toMatchObject([
    { factor: { numerator: 1n, denominator: 180n } },
  ]);
  expect(at([3_000_000n, 10_000n], 300_000n)).toMatchObject([
    { factor: { numerator: 1n, denominator: 300n } },
  ]);
});
