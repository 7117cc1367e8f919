import { expect, it } from 'vitest';
import { holding, moved, peersOf, type SampleHolding, stock } from './peers.sample.ts';

const [PARENT, GIVEN, KEPT] = [stock(1), stock(2), stock(3)];
const range = (count: number, from = 1) => Array.from({ length: count }, (_, at) => from + at);
const reporting = (count: number): SampleHolding[] =>
  range(count).flatMap((by) => moved(by, KEPT, [700n, 700n]));
const enter = (count: number, from = 1) =>
  range(count, from).map((by) => holding(by, GIVEN, { amount: 50n + BigInt(by) ** 2n }));
const parent = (count: number, now = 500n) => range(count).flatMap((by) => moved(by, PARENT, [500n, now]));
const massEntryIn = (holdings: readonly SampleHolding[]) =>
  peersOf(holdings).peers.corporateActions.filter(({ kind }) => kind === 'mass_entry');

it('a security that the holders of another one all have at once was given to them (rule 4.9)', () => {
  const spinOff = [...reporting(20), ...parent(8), ...enter(6)];
  expect(massEntryIn(spinOff)).toEqual([{ kind: 'mass_entry', cusip: GIVEN, votes: 6, compared: 6 }]);
  const merger = [...reporting(20), ...parent(8, 0n), ...enter(6)];
  expect(massEntryIn(merger)).toMatchObject([{ cusip: GIVEN }]);
});

it('an offering that its buyers have nothing in common for was bought (rule 4.9)', () => {
  // All of them hold what everybody holds.
  expect(massEntryIn([...reporting(20), ...enter(6)])).toEqual([]);
  expect(massEntryIn([...reporting(20), ...parent(11), ...enter(6)])).toEqual([]);
  expect(massEntryIn([...reporting(20), ...parent(6), ...enter(6, 4)])).toEqual([]);
});

it('four that enter prove nothing, nor do five where one in nine was there before (rule 4.9)', () => {
  expect(massEntryIn([...reporting(20), ...parent(5), ...enter(4)])).toEqual([]);
  const early = moved(20, GIVEN, [100n, 100n]);
  expect(massEntryIn([...reporting(20), ...parent(8), ...enter(8), ...early])).toEqual([]);
  expect(massEntryIn([...reporting(20), ...parent(9), ...enter(9), ...early])).toHaveLength(1);
});

it('an offering whose buyers hold what more than half of all hold was bought, unless nearly all of those have it (rule 4.9)', () => {
  expect(massEntryIn([...reporting(8), ...enter(5)])).toEqual([]);
  expect(massEntryIn([...reporting(20), ...parent(11), ...enter(9)])).toEqual([]);
  expect(massEntryIn([...reporting(20), ...parent(11), ...enter(10)])).toHaveLength(1);
  expect(massEntryIn([...reporting(20), ...parent(10), ...enter(6)])).toHaveLength(1);
});
