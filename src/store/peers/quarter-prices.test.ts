import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Cusip } from '../../domain/ids.ts';
import { pack } from '../mongo/pack.ts';
import { changedPrices, packPrices, type QuarterPrices } from './quarter-prices.ts';

const CUSIPS = Array.from({ length: 6 }, (_, at) => `A0000${at >> 1}00${at}` as Cusip);

/** The prices of the first securities, in cents; 0 is none. */
const tableOf = (cents: readonly number[]): QuarterPrices =>
  new Map(
    cents.flatMap((one, at): [Cusip, { valueCents: bigint; shares: bigint }][] =>
      one === 0 ? [] : [[CUSIPS[at] as Cusip, { valueCents: BigInt(one), shares: 1n }]],
    ),
  );
const cents = fc.array(fc.integer({ min: 0, max: 2 }), {
  minLength: CUSIPS.length,
  maxLength: CUSIPS.length,
});

const differing = (before: readonly number[], after: readonly number[]) =>
  CUSIPS.filter((_, at) => (before[at] ?? 0) !== after[at]);

test('writes in turns say what changed since the last that was followed', () => {
  const run = fc.property(fc.array(fc.record({ cents, isFollowed: fc.boolean() })), (steps) => {
    let [before, pending] = [[] as readonly number[], new Set<Cusip>()];
    let stored: Parameters<typeof changedPrices>[0] = null;
    for (const { cents: after, isFollowed } of steps) {
      for (const cusip of differing(before, after)) pending.add(cusip);
      const changed = changedPrices(stored, tableOf(after));
      expect(changed).toEqual([...pending].sort());
      if (isFollowed) pending = new Set();
      stored = { prices: packPrices(tableOf(after)), pendingPrices: isFollowed ? null : pack(changed) };
      before = after;
    }
  });
  fc.assert(run, { numRuns: 40 });
});

test('a part without prices is left out', () => {
  expect(Object.keys(packPrices(tableOf([1, 1, 0, 0, 2, 1])))).toHaveLength(2);
});
