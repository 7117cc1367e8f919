import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../test/runs.ts';
import { addDays } from '../calendar.ts';
import type { Cusip, IsoDate } from '../ids.ts';
import { quarterPrices } from '../insider/price.ts';
import { filesOf, priced } from '../market/market.sample.ts';
import { marketOf, type PriceFile } from '../market/market.ts';
import type { FiledReport } from './filed-quarter.ts';
import { EVENTS, NEW } from './market.sample.ts';
import {
  holding,
  moved,
  peersOf,
  quartersOf,
  reportsOf,
  type SampleHolding,
  type Side,
  stock,
} from './peers.sample.ts';
import { peersOf as peersOfQuarters } from './peers.ts';
import { numberOf } from './split.ts';

const FIRST_DAY = '2023-12-20' as IsoDate;
const DAYS = 110;

/** What happened to a security on a day: shares times the factor under the same CUSIP or another one, or a crash. */
type Event = {
  readonly factor: number;
  readonly isRenamed: boolean;
  /** What is left of the price on that day, beside the factor. */
  readonly fall: number;
  readonly on: number;
};
type Holding = { readonly shares: number; readonly traded: number };
type Story = {
  readonly event: Event;
  readonly price: number;
  /** Of each day with fails: how far the price moved since the one before. */
  readonly steps: readonly (readonly [day: number, move: number])[];
  readonly holders: readonly Holding[];
};

const on = fc.integer({ min: 5, max: 105 });
const split: fc.Arbitrary<Event> = fc.record({
  factor: fc.constantFrom(2, 3, 4, 9, 12, 14, 16, 20, 50, 1 / 7, 1 / 14, 1 / 15, 1 / 16, 1 / 30),
  isRenamed: fc.boolean(),
  fall: fc.constantFrom(1, 0.97, 1.03, 0.8),
  on,
});
const crash: fc.Arbitrary<Event> = fc.record({
  factor: fc.constant(1),
  isRenamed: fc.boolean(),
  fall: fc.constantFrom(1, 0.97, 0.51, 0.26),
  on,
});
const step = fc.tuple(fc.integer({ min: 0, max: DAYS }), fc.constantFrom(0.96, 0.99, 1, 1.01, 1.05));
const holder = fc.record({
  shares: fc.integer({ min: 300, max: 900_000 }),
  // Half of them do nothing.
  traded: fc.oneof(
    fc.constant(1),
    fc.noBias(fc.integer({ min: 5_003, max: 21_997 })).map((n) => n / 9_973),
  ),
});
const story: fc.Arbitrary<Story> = fc.record({
  event: fc.oneof(split, crash),
  price: fc.constantFrom(3, 18, 60, 400),
  steps: fc.uniqueArray(step, { selector: ([day]) => day, minLength: 10, maxLength: 60 }),
  holders: fc.array(holder, { minLength: 1, maxLength: 6 }),
});

const oldOf = (at: number) => stock(10 + at);
const newOf = (at: number) => `B000000${10 + at}` as Cusip;
const storyOf = (cusip: Cusip) => Number(cusip.slice(-2)) - 10;
const nowOf = (at: number, { event }: Story) => (event.isRenamed ? newOf(at) : oldOf(at));

/** The day's price of every security, in the terms of that day. */
function securitiesIn(stories: readonly Story[]) {
  return stories.flatMap((one, at) => {
    const { event, steps } = one;
    let price = one.price;
    const sides: [Record<string, number>, Record<string, number>] = [{}, {}];
    for (const [day, move] of steps.toSorted(([a], [b]) => a - b)) {
      price *= move;
      const isAfter = day >= event.on;
      const now = isAfter ? (price * event.fall) / event.factor : price;
      sides[isAfter ? 1 : 0][addDays(FIRST_DAY, day)] = Number(now.toFixed(2)) || 0.01;
    }
    const cusips = [oldOf(at), nowOf(at, one)];
    return sides.map((prices, side) => priced(cusips[side] ?? '', `SYM${at}`, prices, `COMPANY ${at}`));
  });
}

function holdingsIn(stories: readonly Story[]): SampleHolding[] {
  return stories.flatMap((one, at) => {
    const { event, price, holders } = one;
    // An event outside of the quarter is in both counts, or in none.
    const factor = event.on > 12 && event.on < 101 ? event.factor : 1;
    const cents = (dollars: number) => BigInt(Math.max(1, Math.round(dollars * 100)));
    // In a crash, unlike in a split, most counts stay: only they tell the two apart.
    return holders.flatMap(({ shares, traded: own }, by) => {
      const traded = event.factor === 1 && by % 2 === 0 ? 1 : own;
      return [
        ...moved(by + 1, stock(1), [700n, 700n]),
        holding(by + 1, oldOf(at), { side: 'prior', amount: BigInt(shares), price: cents(price) }),
        holding(by + 1, nowOf(at, one), {
          amount: BigInt(Math.max(1, Math.floor(shares * factor * traded))),
          price: cents((price * event.fall) / factor),
        }),
      ];
    });
  });
}

const once = (holdings: readonly SampleHolding[]) => [
  ...new Map(holdings.map((one) => [`${one.side} ${one.by} ${one.cusip}`, one])).values(),
];

it('any order of the files gives the same actions, and fewer files prove nothing that all of them do not (rule 4.1)', {
  tags: ['property'],
}, () => {
  const worlds = fc.array(story, { minLength: 4, maxLength: 8 }).chain((stories) => {
    const files = filesOf(...securitiesIn(stories));
    return fc.tuple(
      fc.constant(stories),
      fc.shuffledSubarray(files, { minLength: files.length }),
      fc.subarray(files),
    );
  });
  const found = { split: 0, cusip_change: 0, split_suspected: 0 };
  fc.assert(
    fc.property(worlds, ([stories, files, some]) => {
      const holdings = once(holdingsIn(stories));
      const actionsBy = (given: readonly PriceFile[]) =>
        peersOf(holdings, { market: marketOf(given) }).peers.corporateActions;
      const whole = actionsBy(files);
      expect(actionsBy(files.toReversed())).toEqual(whole);
      const proven = (actions: typeof whole) =>
        actions.flatMap((one) => (one.kind === 'split' || one.kind === 'cusip_change' ? [one] : []));
      const factors = new Map(proven(whole).map((one) => [`${one.kind} ${one.cusip}`, numberOf(one.factor)]));
      for (const one of proven(actionsBy(some)))
        expect(factors.get(`${one.kind} ${one.cusip}`)).toBe(numberOf(one.factor));
      for (const { kind, cusip, factor } of proven(whole)) {
        found[kind] += 1;
        expect(numberOf(factor)).toBe(stories[storyOf(cusip)]?.event.factor);
      }
    }),
    { numRuns: runs(100), seed: 39 },
  );
  expect(Math.min(found.split, found.cusip_change)).toBeGreaterThan(runs(20) - 1);
});

describe('the order of reports', () => {
  const SIDES: readonly Side[] = ['prior', 'current', 'next'];
  type Standing = Readonly<Record<Side, readonly FiledReport[]>>;

  const standingOf = (holdings: readonly SampleHolding[]): Standing => {
    const [prior = [], current = [], next = []] = SIDES.map((side) => reportsOf(side, holdings));
    return { prior, current, next };
  };

  /** All that the peers say, of the reports in this order. */
  function answersOf(standing: Standing) {
    const quarters = quartersOf(standing);
    const { peers, verdicts } = peersOfQuarters(quarters);
    return { peers, verdicts: [...verdicts], prices: [...quarterPrices(quarters, verdicts)].sort() };
  }

  /** The reports of each quarter in another order: their keys are the order. */
  function reordered(standing: Standing, keys: readonly number[]): Standing {
    const inOrder = (reports: readonly FiledReport[]) =>
      reports
        .map((report, at) => ({ report, key: keys[at % keys.length] as number }))
        .sort((a, b) => a.key - b.key)
        .map(({ report }) => report);
    return {
      prior: inOrder(standing.prior),
      current: inOrder(standing.current),
      next: inOrder(standing.next),
    };
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
});
