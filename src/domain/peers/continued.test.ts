import { expect, it } from 'vitest';
import type { Cusip } from '../ids.ts';
import { corporateActionsOf, holding, moved, type SampleHolding, stock } from './peers.sample.ts';

const [ING, VOYA, STARZ] = ['45685E106', '929089100', '85571Q102'] as [Cusip, Cusip, Cusip];
const kept = (by: number) => moved(by, stock(9), [700n, 700n]);
/** The manager's exit from the one and its start in the other; 20 dollars a share unless a price is given. */
const went = (by: number, [from, into]: readonly [Cusip, Cusip], shares: bigint, price = 2_000n) => [
  ...kept(by),
  holding(by, from, { side: 'prior', amount: shares }),
  holding(by, into, { amount: shares, price }),
];
const actionsOf = (holdings: readonly SampleHolding[]) =>
  corporateActionsOf(holdings).map((action) =>
    action.kind === 'cusip_change' ? `${action.from} to ${action.cusip}` : `${action.kind} ${action.cusip}`,
  );

it('equal counts of one exit and start are one company going on, as with ING US and Voya (rule 4.8)', () => {
  expect(corporateActionsOf(went(1, [ING, VOYA], 4_041_368n))).toEqual([
    {
      ...{ kind: 'cusip_change', from: ING, cusip: VOYA, factor: { numerator: 1n, denominator: 1n } },
      ...{ votes: 1, compared: 1 },
    },
  ]);
  expect(actionsOf(went(1, [ING, VOYA], 24_000_000n))).toEqual([`${ING} to ${VOYA}`]);
});

it('the count is at least 1,000 and equal, and the value within a factor of two (rule 4.8)', () => {
  const at = (shares: bigint, price?: bigint) => actionsOf(went(1, [ING, VOYA], shares, price)).length;
  expect([at(1_000n), at(999n)]).toEqual([1, 0]);
  expect([at(5_000n, 4_000n), at(5_000n, 4_001n), at(5_000n, 1_000n), at(5_000n, 999n)]).toEqual([
    1, 0, 1, 0,
  ]);
  const other = [
    ...kept(1),
    holding(1, ING, { side: 'prior', amount: 5_001n }),
    holding(1, VOYA, { amount: 5_000n }),
  ];
  expect(actionsOf(other)).toEqual([]);
});

it('not where another holder has either CUSIP at both ends (rule 4.8)', () => {
  const pair = went(1, [ING, VOYA], 5_000n);
  for (const cusip of [ING, VOYA]) {
    expect(actionsOf([...pair, ...kept(2), ...moved(2, cusip, [300n, 310n])])).toEqual([]);
  }
  const others = [holding(2, ING, { side: 'prior', amount: 300n }), holding(3, VOYA, { amount: 77n })];
  expect(actionsOf([...pair, ...kept(2), ...kept(3), ...others])).toEqual([`${ING} to ${VOYA}`]);
});

it('a second start of the same count was given with it, as Starz with Liberty Media (rule 4.8)', () => {
  const starz = holding(1, STARZ, { amount: 5_622_340n, price: 300n });
  expect(actionsOf([...went(1, [ING, VOYA], 5_622_340n, 1_900n), starz])).toEqual([
    `mass_entry ${STARZ}`,
    `${ING} to ${VOYA}`,
  ]);
});

it('among more than 10,000 pairs of an exit and a start equal counts are chance (rule 4.8)', () => {
  const many = (count: number) =>
    Array.from({ length: count }, (_, at) => [
      holding(1, stock(100 + at), { side: 'prior', amount: 2_000n + BigInt(at) }),
      holding(1, stock(300 + at), { amount: 9_000n + BigInt(at) }),
    ]).flat();
  const pair = went(1, [ING, VOYA], 4_041_368n);
  expect(actionsOf([...pair, ...many(99)])).toEqual([`${ING} to ${VOYA}`]);
  expect(actionsOf([...pair, ...many(100)])).toEqual([]);
});
