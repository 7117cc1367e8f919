import fc from 'fast-check';
import type { Binary } from 'mongodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Cusip, QuarterEnd } from '../../src/domain/ids.ts';
import { notePricesFollowed, type QuarterPrices, savePrices } from '../../src/store/peers/quarter-prices.ts';
import { openWorld, type World } from '../world.ts';

const [QUARTER, WHOLE] = ['2024-06-30', '2099-12-31'] as [QuarterEnd, QuarterEnd];
const CUSIPS = Array.from({ length: 6 }, (_, at) => `A0000${at >> 1}00${at}` as Cusip);

type Doc = {
  _id: QuarterEnd;
  version: number;
  parts: Record<string, Binary>;
  pendingCusips: Binary | null;
};

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const docs = () => world.mongo.db.collection<Doc>('quarter_prices');

/** The prices of the first securities, in cents; 0 is none. */
const tableOf = (cents: readonly number[]): QuarterPrices =>
  new Map(
    cents.flatMap((one, at): [Cusip, { valueCents: bigint; shares: bigint }][] =>
      one === 0 ? [] : [[CUSIPS[at] as Cusip, { valueCents: BigInt(one), shares: 1n }]],
    ),
  );
const changesBetween = (before: readonly number[], after: readonly number[]) =>
  CUSIPS.filter((_, at) => (before[at] ?? 0) !== (after[at] ?? 0));

function save(cents: readonly number[], version: number): Promise<Cusip[]> {
  return savePrices(world.mongo.db, QUARTER, { prices: tableOf(cents), version });
}
const follow = (version: number) => notePricesFollowed(world.mongo.db, QUARTER, version);

/** As first written: whole. */
async function partsOf(cents: readonly number[]) {
  await docs().deleteOne({ _id: WHOLE });
  await savePrices(world.mongo.db, WHOLE, { prices: tableOf(cents), version: 1 });
  return (await docs().findOne({ _id: WHOLE }))?.parts ?? {};
}

async function expectStored(cents: readonly number[]): Promise<void> {
  const stored = (await docs().findOne({ _id: QUARTER }))?.parts ?? {};
  const bytes = (parts: typeof stored) =>
    Object.entries(parts)
      .map(([part, { buffer }]) => [part, Buffer.from(buffer).toString('hex')])
      .sort();
  expect(bytes(stored)).toEqual(bytes(await partsOf(cents)));
}

const cents = fc.array(fc.integer({ min: 0, max: 2 }), {
  minLength: CUSIPS.length,
  maxLength: CUSIPS.length,
});
const step = fc.record({
  cents,
  isFollowed: fc.boolean(),
});

test('writes in turns say what changed since the last that was followed', {
  tags: ['long'],
  timeout: 60_000,
}, async () => {
  const run = fc.asyncProperty(fc.array(step, { maxLength: 10 }), async (steps) => {
    await docs().deleteOne({ _id: QUARTER });
    let [version, stored, pending] = [0, [] as readonly number[], new Set<Cusip>()];
    for (const { cents, isFollowed } of steps) {
      version += 1;
      for (const cusip of changesBetween(stored, cents)) pending.add(cusip);
      expect(await save(cents, version)).toEqual([...pending].sort());
      if (isFollowed) {
        await follow(version);
        pending = new Set();
      }
      stored = cents;
      await expectStored(stored);
    }
  });
  await fc.assert(run, { numRuns: 40 });
});

test('two writes at once never mix their prices: those of the later version stay', async () => {
  await docs().deleteOne({ _id: QUARTER });
  let version = 1;
  for (let round = 0; round < 30; round += 1) {
    await save([1, 1, 1, 1, 1, 1], version);
    const [one, other] = [
      [2, 1, 1, 1, 1, 0],
      [1, 1, 3, 1, 1, 1],
    ] as const;
    const saved = [save(one, version + 1), save(other, version + 2)];
    await Promise.all(round % 4 < 2 ? saved : saved.toReversed());
    await expectStored(other);
    version += 3;
  }
});

test('an earlier version that comes late is not written over equal prices of a later one', async () => {
  await docs().deleteOne({ _id: QUARTER });
  await save([1, 1, 1, 1, 1, 1], 1);
  await follow(1);
  expect(await save([1, 1, 1, 1, 1, 1], 3)).toEqual([]);
  expect(await save([2, 1, 1, 1, 1, 1], 2)).toEqual([]);
  await expectStored([1, 1, 1, 1, 1, 1]);
});

test('a part without prices is removed', async () => {
  await docs().deleteOne({ _id: QUARTER });
  await save([1, 1, 1, 1, 1, 1], 1);
  await save([1, 1, 0, 0, 2, 1], 2);
  await expectStored([1, 1, 0, 0, 2, 1]);
  const stored = await docs().findOne({ _id: QUARTER });
  expect(Object.keys(stored?.parts ?? {})).toHaveLength(2);
});
