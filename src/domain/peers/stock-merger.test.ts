import { expect, it } from 'vitest';
import type { Cusip } from '../ids.ts';
import { filesOf, priced } from '../market/market.sample.ts';
import { marketOf } from '../market/market.ts';
import { corporateActionsOf, holding, moved, type SampleHolding, stock } from './peers.sample.ts';

const [TARGET, ACQUIRER, KEPT] = [stock(1), 'B00000002' as Cusip, stock(3)];
const range = (count: number, from = 1) => Array.from({ length: count }, (_, at) => from + at);
/** Each manager reports both quarters. */
const reporting = range(40).flatMap((by) => moved(by, KEPT, [700n, 700n]));
const sizeOf = (by: number) => 4_000n * BigInt(by) ** 2n;
const target = (count: number) => range(count).flatMap((by) => moved(by, TARGET, [sizeOf(by), 0n]));
/** 0.35 shares for each, and what was left over paid in money; and other shares held before, many times more. */
const given = (count: number, before = 0n) =>
  range(count).flatMap((by) => {
    const held = before * sizeOf(by) * BigInt(by % 3);
    return moved(by, ACQUIRER, [held, held + (sizeOf(by) * 35n) / 100n], [5_700n, 5_900n]);
  });
const buy = (count: number, from = 1) =>
  range(count, from).map((by) => holding(by, ACQUIRER, { amount: 3_000n + BigInt(by) ** 4n }));
const mergersIn = (holdings: readonly SampleHolding[], market = marketOf([])) =>
  corporateActionsOf([...reporting, ...holdings], { market }).filter(({ kind }) => kind === 'stock_merger');

it('a stock of which ten holders of a ceased one gained one multiple was given for it (rule 4.9)', () => {
  const merger = {
    kind: 'stock_merger',
    cusip: ACQUIRER,
    from: TARGET,
    votes: 10,
    multiple: 0.35,
    compared: 20,
  };
  expect(mergersIn([...target(20), ...given(10)])).toEqual([merger]);
  expect(mergersIn([...target(20), ...given(9)])).toEqual([]);
});

it('however much of it they and others held, bought and sold (rule 4.9)', () => {
  const others = buy(20, 11);
  expect(mergersIn([...target(30), ...given(10, 100n), ...others])).toMatchObject([
    { votes: 10, multiple: 0.35 },
  ]);
  expect(mergersIn([...target(30), ...given(9, 100n), ...others])).toEqual([]);
});

it('also of a stock that was split in the quarter, whatever was held of it before (rule 4.9)', () => {
  const split = range(40).flatMap((by) => {
    const [before, gift] = [1_000n * BigInt(41 - by), by <= 12 ? (sizeOf(by) * 35n) / 100n : 0n];
    return moved(by, ACQUIRER, [before, 2n * before + gift], [11_800n, 5_900n]);
  });
  const jump = priced(ACQUIRER, 'ACQ', { '2024-02-13': 118, '2024-02-14': 59 });
  expect(mergersIn([...target(12), ...split], marketOf(filesOf(jump)))).toMatchObject([
    { from: TARGET, multiple: 0.35 },
  ]);
});

it('buyers of the same stock gain no common multiple (rule 4.9)', () => {
  expect(mergersIn([...target(20), ...buy(20)])).toEqual([]);
});

it('a target that still has holders did not cease (rule 4.9)', () => {
  const staying = range(10, 25).flatMap((by) => moved(by, TARGET, [900n, 900n]));
  expect(mergersIn([...target(20), ...given(20), ...staying])).toEqual([]);
});

it('small gains are alike by chance, and so are gains of another value (rule 4.9)', () => {
  const one = range(12).map((by) => holding(by, ACQUIRER, { amount: 1n }));
  expect(mergersIn([...target(12), ...one])).toEqual([]);
  const near = (price: bigint) => [
    ...range(12).map((by) => holding(by, ACQUIRER, { amount: (sizeOf(by) * BigInt(30 + by)) / 100n, price })),
    ...range(12, 13).flatMap((by) => moved(by, ACQUIRER, [900n, 900n], [price, price])),
  ];
  expect(mergersIn([...target(12), ...near(5_000n)])).toMatchObject([{ votes: 12 }]);
  expect(mergersIn([...target(12), ...near(15_000n)])).toEqual([]);
});
