import type { Cusip } from '../ids.ts';
import { holding, moved, type SampleHolding, stock } from './peers.sample.ts';

/** Constructed markets: one event of one security, whose holders also trade. The same seed gives the same holdings. */
export type Market = {
  readonly seed: number;
  /** Managers that report both quarters. */
  readonly managers: number;
  /** Percent of them that do not trade. The others trade 1 to 20 % of their shares, every tenth up to 60 %. */
  readonly still: number;
};

type Prices = readonly [prior: bigint, current: bigint];

export const [OLD, NEW, PARENT, KEPT] = [stock(1), 'B00000002' as Cusip, stock(3), stock(4)];

/** All managers hold it; counts move by the factor, of the named CUSIP, and then by what is traded. */
export function moveBy(market: Market, factor: number, [before, after]: Prices, now = OLD): SampleHolding[] {
  return eachManager(market, ({ by, shares, traded }) => [
    holding(by, OLD, { side: 'prior', amount: shares, price: before }),
    holding(by, now, { amount: times(shares, factor * traded), price: after }),
  ]);
}

/** All but those who stand still add 20 to 80 %, after a fall of the price. */
export function rushOfBuyers(market: Market): SampleHolding[] {
  return eachManager(market, ({ by, shares, traded, next }) =>
    moved(by, OLD, [shares, times(shares, traded === 1 ? 1 : 1.2 + 0.6 * next())], [10_000n, 7_500n]),
  );
}

/** Two fifths buy a new security; what they hold of it has nothing to do with what they held. */
export function offering(market: Market): SampleHolding[] {
  return eachManager(market, ({ by, shares, traded, next }) => [
    ...moved(by, PARENT, [shares, times(shares, traded)]),
    ...(next() < 0.4 ? [holding(by, NEW, { amount: sizeOf(next) })] : []),
  ]);
}

/** Shares of the acquirer for each share of the target. */
export const MERGED_AT = 1.025;

/** The target ceases. Three fifths of its holders also held the acquirer, and get its shares for theirs. */
export function stockMerger(market: Market): SampleHolding[] {
  return takeover(market, MERGED_AT);
}

/** The target ceases, and is paid for in money. Three fifths of its holders also hold another stock, and trade it. */
export function cashMerger(market: Market): SampleHolding[] {
  return takeover(market, 0);
}

function takeover(market: Market, multiple: number): SampleHolding[] {
  return eachManager(market, ({ by, shares, traded, next }) => {
    const target = by % 2 === 0 ? sizeOf(next) : 0n;
    const held = by % 2 === 1 || next() < 0.6 ? shares : 0n;
    const given = times(target, multiple);
    const now = held + given === 0n ? 0n : times(held + given, traded);
    return [
      ...moved(by, OLD, [target, 0n], [4_100n, 4_100n]),
      ...moved(by, PARENT, [held, now], [4_000n, 4_000n]),
    ];
  });
}

/** Two fifths of the managers hold the parent; 56 % of them keep what they got, one share for four. */
export function spinOff(market: Market): SampleHolding[] {
  return eachManager(market, ({ by, shares, traded, next }) => {
    if (by % 5 > 1) return [];
    const parent = moved(by, PARENT, [shares, times(shares, traded)], [8_000n, 6_000n]);
    const kept = traded === 1 || next() < 0.56;
    return kept ? [...parent, holding(by, NEW, { amount: times(shares, traded / 4) })] : parent;
  });
}

/** One of each kind. */
export const EVENTS: readonly ((market: Market) => SampleHolding[])[] = [
  (market) => moveBy(market, 3, [90_000n, 33_000n]),
  (market) => moveBy(market, 1, [9_000n, 9_400n], NEW),
  rushOfBuyers,
  offering,
  stockMerger,
  cashMerger,
  spinOff,
];

type Manager = {
  readonly by: number;
  readonly shares: bigint;
  /** What is left of each share; 1 of those who stand still. */
  readonly traded: number;
  readonly next: () => number;
};

function eachManager({ seed, managers, still }: Market, of: (manager: Manager) => SampleHolding[]) {
  const next = chance(seed);
  return Array.from({ length: managers }, (_, at) => {
    const isStill = at * 100 < managers * still;
    const part = 0.01 + next() * (at % 10 === 9 ? 0.59 : 0.19);
    const traded = isStill ? 1 : 1 + part * (next() < 0.5 ? 1 : -1);
    const by = at + 1;
    return [...moved(by, KEPT, [700n, 700n]), ...of({ by, shares: sizeOf(next), traded, next })];
  }).flat();
}

function sizeOf(next: () => number): bigint {
  return BigInt(Math.round(10 ** (3.5 + 3 * next())));
}

function times(shares: bigint, factor: number): bigint {
  return BigInt(Math.floor(Number(shares) * factor + 1e-6));
}

/** Mulberry32. */
function chance(seed: number): () => number {
  let state = seed * 7919;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
