import fc from 'fast-check';
import { expect, it } from 'vitest';
import { runs } from '../../../test/runs.ts';
import { quarterPrices } from '../insider/price.ts';
import type { FiledReport } from './filed-quarter.ts';
import { EVENTS, NEW } from './market.sample.ts';
import { moved, quartersOf, reportsOf, type SampleHolding, type Side, stock } from './peers.sample.ts';
import { peersOf } from './peers.ts';

const SIDES: readonly Side[] = ['prior', 'current', 'next'];
type Standing = Readonly<Record<Side, readonly FiledReport[]>>;

const standingOf = (holdings: readonly SampleHolding[]): Standing => {
  const [prior = [], current = [], next = []] = SIDES.map((side) => reportsOf(side, holdings));
  return { prior, current, next };
};

/** All that the peers say, of the reports in this order. */
function answersOf(standing: Standing) {
  const quarters = quartersOf(standing);
  const { peers, verdicts } = peersOf(quarters);
  return { peers, verdicts: [...verdicts], prices: [...quarterPrices(quarters, verdicts)].sort() };
}

/** The reports of each quarter in another order: their keys are the order. */
function reordered(standing: Standing, keys: readonly number[]): Standing {
  const inOrder = (reports: readonly FiledReport[]) =>
    reports
      .map((report, at) => ({ report, key: keys[at % keys.length] as number }))
      .sort((a, b) => a.key - b.key)
      .map(({ report }) => report);
  return { prior: inOrder(standing.prior), current: inOrder(standing.current), next: inOrder(standing.next) };
}

const keys = fc.array(fc.nat(), { minLength: 60, maxLength: 60 });
/** So few moves and prices that factors, names and values tie. */
const MOVES = [
  [3_000n, 4_000n],
  [4_000n, 5_000n],
  [2_000n, 3_000n],
  [1_000n, 2_000n],
  [2_000n, 1_000n],
  [5_000n, 2_600n],
  [2_000n, 0n],
  [0n, 2_000n],
] as const;
const prices = fc.constantFrom(
  [2_000n, 2_000n] as const,
  [2_000n, 1_500n] as const,
  [2_400n, 1_300n] as const,
);
/** A move of each of three securities for each of some managers. */
const positions = fc.tuple(prices, fc.subarray([...MOVES], { minLength: 2 })).chain(([own, moves]) =>
  fc
    .array(fc.tuple(fc.constantFrom(...moves), fc.constantFrom(...moves), fc.constantFrom(...moves)), {
      minLength: 6,
      maxLength: 30,
    })
    .map((managers) =>
      managers.flatMap((of, by) =>
        [stock(1), stock(2), NEW].flatMap((cusip, at) => moved(by + 1, cusip, of[at] ?? [0n, 0n], own)),
      ),
    ),
);

it('the same reports in any order give the same answer, however many counts tie', {
  tags: ['property'],
  timeout: 60_000,
}, () => {
  fc.assert(
    fc.property(positions, keys, (held, order) => {
      const standing = standingOf(held);
      expect(answersOf(reordered(standing, order))).toEqual(answersOf(standing));
    }),
    { numRuns: runs(400) },
  );
});

it('and so in a market with a split, a new CUSIP, a merger or a spin-off', {
  tags: ['property'],
  timeout: 60_000,
}, () => {
  const market = fc.record({
    seed: fc.integer({ min: 1, max: 999 }),
    managers: fc.integer({ min: 8, max: 60 }),
    still: fc.constant(15),
  });
  fc.assert(
    fc.property(fc.constantFrom(...EVENTS), market, keys, (happens, size, order) => {
      const standing = standingOf(happens(size));
      expect(answersOf(reordered(standing, order))).toEqual(answersOf(standing));
    }),
    { numRuns: runs(60) },
  );
});
