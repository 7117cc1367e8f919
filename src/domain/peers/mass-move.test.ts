import { describe, expect, it } from 'vitest';
import type { Cusip } from '../ids.ts';
import { filesOf, priced, pricedDaily } from '../market/market.sample.ts';
import { marketOf } from '../market/market.ts';
import {
  corporateActionsOf,
  holding,
  moved,
  peersOf,
  reportBy,
  type SampleHolding,
  stock,
} from './peers.sample.ts';

const [GONE, PARENT, KEPT] = [stock(1), stock(2), stock(4)];
const GIVEN = 'B00000003' as Cusip;
/** Every manager keeps another stock, so that it reported both quarters. */
const managers = (leaving: number, staying = 0): SampleHolding[] =>
  Array.from({ length: leaving + staying }, (_, at) => [
    ...moved(at + 1, GONE, [500n, at < leaving ? 0n : 510n]),
    ...moved(at + 1, KEPT, [700n, 700n]),
  ]).flat();

it('nine of ten holders that leave a security at once are a mass exit, eight are not (rule 4.9)', () => {
  expect(corporateActionsOf(managers(9, 1))).toEqual([
    { kind: 'mass_exit', cusip: GONE, votes: 9, compared: 10 },
  ]);
  expect(corporateActionsOf(managers(8, 2))).toEqual([]);
});

it('four holders that leave are no mass exit (rule 4.9)', () => {
  expect(corporateActionsOf(managers(5))).toHaveLength(1);
  expect(corporateActionsOf(managers(4))).toEqual([]);
});

it('a holder that did not report the quarter has not left (rules 2.11 and 4.9)', () => {
  const silent = managers(5).filter(({ by, side }) => by !== 5 || side === 'prior');
  expect(corporateActionsOf(silent)).toEqual([]);
  const notice = { ...reportBy(5, 'current'), filings: [], isComparable: false };
  expect(peersOf(silent, { reports: { current: [notice] } }).peers.corporateActions).toEqual([]);
  expect(
    peersOf(silent, { reports: { current: [reportBy(5, 'current')] } }).peers.corporateActions,
  ).toHaveLength(1);
});

it('a position in doubt is still held (rule 4.9)', () => {
  const doubtful = holding(1, GONE, { amount: 500n, reasons: ['amount_negative'] });
  expect(corporateActionsOf([...managers(5), doubtful])).toEqual([]);
});

const range = (count: number, from = 1) => Array.from({ length: count }, (_, at) => from + at);
const reporting = (count: number): SampleHolding[] =>
  range(count).flatMap((by) => moved(by, KEPT, [700n, 700n]));
/** One share for each ten of the parent. */
const enter = (count: number, from = 1) =>
  range(count, from).map((by) => holding(by, GIVEN, { amount: sizeOf(by) / 10n }));
const buy = (count: number, from = 1) =>
  range(count, from).map((by) => holding(by, GIVEN, { amount: 50n + BigInt(by) ** 4n }));
const sizeOf = (by: number) => 500n * BigInt(by) ** 2n;
const parent = (count: number, now = 500n) =>
  range(count).flatMap((by) => moved(by, PARENT, [sizeOf(by), now]));
const massEntriesIn = (holdings: readonly SampleHolding[]) =>
  corporateActionsOf(holdings).filter(({ kind }) => kind === 'mass_entry');

it('a security whose holders hold one multiple of another one was given to them (rule 4.9)', () => {
  const spinOff = [...reporting(20), ...parent(8), ...enter(6)];
  expect(massEntriesIn(spinOff)).toEqual([{ kind: 'mass_entry', cusip: GIVEN, votes: 6, compared: 6 }]);
  const merger = [...reporting(20), ...parent(8, 0n), ...enter(6)];
  expect(massEntriesIn(merger)).toMatchObject([{ cusip: GIVEN }]);
});

it('however few holders of the parent kept it (rule 4.9)', () => {
  expect(massEntriesIn([...reporting(60), ...parent(25), ...enter(5)])).toHaveLength(1);
});

it('buyers of an offering hold the same stocks, but at no common multiple (rule 4.9)', () => {
  expect(massEntriesIn([...reporting(20), ...buy(6)])).toEqual([]);
  expect(massEntriesIn([...reporting(20), ...parent(8), ...buy(8)])).toEqual([]);
});

it('three fifths must have held the parent, five at the multiple, and nobody the new security (rule 4.9)', () => {
  const others = (count: number) => buy(count, 15);
  expect(massEntriesIn([...reporting(30), ...parent(6), ...enter(6), ...others(4)])).toHaveLength(1);
  expect(massEntriesIn([...reporting(30), ...parent(6), ...enter(6), ...others(5)])).toEqual([]);
  expect(massEntriesIn([...reporting(30), ...parent(5), ...enter(4)])).toEqual([]);
  const early = moved(20, GIVEN, [100n, 100n]);
  expect(massEntriesIn([...reporting(30), ...parent(8), ...enter(8), ...early])).toEqual([]);
  expect(massEntriesIn([...reporting(30), ...parent(9), ...enter(9), ...early])).toHaveLength(1);
});

it('a stock that half of all managers hold is the parent of nothing (rule 4.9)', () => {
  expect(massEntriesIn([...reporting(20), ...parent(10), ...enter(9)])).toHaveLength(1);
  expect(massEntriesIn([...reporting(20), ...parent(11), ...enter(9)])).toEqual([]);
});

it('fewer than five first holders of a new listing may have been given it, if nobody held it before (rule 4.9)', () => {
  const old = pricedDaily('B00000009', '2023-12-18', ['2023-12-25', '2024-01-01']);
  const days = { '2024-01-05': 60.49, '2024-01-08': 59, '2024-01-09': 58.95, '2024-01-10': 58.1 };
  const market = marketOf(filesOf(old, priced(GIVEN, 'NEW', days)));
  const entriesIn = (holdings: readonly SampleHolding[]) =>
    corporateActionsOf([...reporting(20), ...holdings], { market }).filter(
      ({ kind }) => kind === 'mass_entry',
    );
  const entry = { kind: 'mass_entry', cusip: GIVEN, listedOn: '2024-01-05' };
  expect(entriesIn(buy(1))).toEqual([{ ...entry, votes: 1, compared: 1 }]);
  expect(entriesIn(buy(4))).toEqual([{ ...entry, votes: 4, compared: 4 }]);
  expect(entriesIn(buy(5))).toEqual([]);
  expect(entriesIn([...buy(3), ...moved(20, GIVEN, [100n, 100n])])).toEqual([]);
});

describe('what was given for a target', () => {
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
      ...range(12).map((by) =>
        holding(by, ACQUIRER, { amount: (sizeOf(by) * BigInt(30 + by)) / 100n, price }),
      ),
      ...range(12, 13).flatMap((by) => moved(by, ACQUIRER, [900n, 900n], [price, price])),
    ];
    expect(mergersIn([...target(12), ...near(5_000n)])).toMatchObject([{ votes: 12 }]);
    expect(mergersIn([...target(12), ...near(15_000n)])).toEqual([]);
  });
});
