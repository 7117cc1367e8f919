import type { Cik, Cusip, IsoDate, QuarterEnd } from '../ids.ts';
import { NO_CONVERSIONS } from '../peers/verdict.ts';
import { nextQuarterEnd } from '../quarter.ts';
import { priceSecurities } from '../report/implied-price.sample.ts';
import type { HeldRow } from '../report/implied-price.ts';
import { BENCHMARK } from './method.ts';
import { type PortfolioReason, type PortfolioSource, portfolioOf } from './portfolio.ts';
import { type LeaderboardQuarter, quarterSeries, seriesBuilder } from './quarter-series.ts';
import { leaderboardOf } from './rank.ts';

/** A small market for the tests of this folder: ten quarters, a benchmark and two groups of stocks. */
export const TEN_QUARTERS: readonly QuarterEnd[] = Array.from({ length: 9 }).reduce<QuarterEnd[]>(
  (quarters) => [...quarters, nextQuarterEnd(quarters.at(-1) as QuarterEnd)],
  ['2016-12-31' as QuarterEnd],
);
export const LAST = TEN_QUARTERS.at(-1) as QuarterEnd;

export const UP_AND_DOWN = ['G', 'H', 'J', 'K', 'L'].map((letter) => `${letter}00000001` as Cusip);
export const STEADY = ['P', 'Q', 'R', 'S', 'T'].map((letter) => `${letter}00000002` as Cusip);

/** Percent per quarter: the benchmark 2; one group 10 and -2 in turn; the other 5 and 1. */
function growth(cusip: Cusip, at: number): number {
  if (cusip === BENCHMARK.cusip) return 102;
  if (UP_AND_DOWN.includes(cusip)) return at % 2 === 1 ? 110 : 98;
  return at % 2 === 1 ? 105 : 101;
}

/** Cents of a billion shares, exact up to a cent, at the end of the n-th quarter. */
export function centsOf(cusip: Cusip, n: number): bigint {
  let value = 10_000_000_000_000n;
  for (let at = 1; at <= n; at += 1) value = (value * BigInt(growth(cusip, at))) / 100n;
  return value;
}

export type SampleManager = {
  readonly cik: string;
  readonly cusips: readonly Cusip[];
  /** By quarter, where they differ. */
  readonly reasons?: (at: number) => readonly PortfolioReason[];
  readonly misses?: (at: number) => boolean;
};

/** Three filers hold everything and give the prices; two copy one group each. */
export const MANAGERS: readonly SampleManager[] = [
  ...['0000000001', '0000000002', '0000000003'].map((cik) => ({
    cik,
    cusips: [BENCHMARK.cusip, ...UP_AND_DOWN, ...STEADY],
  })),
  { cik: '0000000008', cusips: UP_AND_DOWN },
  { cik: '0000000009', cusips: STEADY },
];

const SHARES = 1_000_000_000n;

/** `scale` multiplies every value, as a wrong scale would. */
export function sampleQuarters(
  managers: readonly SampleManager[] = MANAGERS,
  { scale = 1n, arrange = (rows) => rows }: Arrangement = {},
): LeaderboardQuarter[] {
  return TEN_QUARTERS.map((quarterEnd, at) => {
    const filed = managers.filter(({ misses }) => !misses?.(at));
    const held = filed.flatMap(({ cik, cusips }) =>
      cusips.map((cusip) => heldRow(cik as Cik, cusip, centsOf(cusip, at) * scale)),
    );
    const portfolios = filed.map((manager) =>
      portfolioOf(sourceOf(manager, { quarterEnd, at, held: arrange(held) })),
    );
    return {
      quarterEnd,
      prices: new Map(priceSecurities(arrange(held))),
      conversions: NO_CONVERSIONS,
      portfolios,
    };
  });
}

export type Arrangement = {
  readonly scale?: bigint;
  readonly arrange?: (rows: readonly HeldRow[]) => readonly HeldRow[];
};

/** All of the quarters in one builder. Frozen, because a process keeps them for the next board. */
export function sampleSeries(quarters: readonly LeaderboardQuarter[]): ReturnType<typeof seriesBuilder> {
  const builder = seriesBuilder();
  freeze(quarters);
  for (const [at, quarter] of quarters.entries()) {
    const [before = null, twoBefore = null] = [quarters[at - 1], quarters[at - 2]];
    builder.add(freeze(quarterSeries({ quarter, before, twoBefore })));
  }
  return builder;
}

/** With all objects and lists in it. */
function freeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  for (const own of value instanceof Map ? value.values() : Object.values(value)) freeze(own);
  return Object.freeze(value);
}

export function heldRow(cik: Cik, cusip: Cusip, valueCents: bigint, amount: bigint = SHARES): HeldRow {
  return { cik, cusip, amount, valueCents, priorAmount: amount, reasons: [] };
}

type Filed = { readonly quarterEnd: QuarterEnd; readonly at: number; readonly held: readonly HeldRow[] };

function sourceOf({ cik, reasons }: SampleManager, { quarterEnd, at, held }: Filed): PortfolioSource {
  const rows = held.filter((row) => row.cik === cik);
  const equityCents = rows.reduce((sum, row) => sum + row.valueCents, 0n);
  return {
    cik: cik as Cik,
    quarterEnd,
    firstFiled: `${nextQuarterEnd(quarterEnd).slice(0, 7)}-01` as IsoDate,
    rows,
    holdingsCount: rows.length,
    equityCents,
    reportedCents: equityCents,
    optionCents: 0n,
    reasons: reasons?.(at) ?? [],
  };
}

/** The board of these quarters. */
export function boardOf(quarters: readonly LeaderboardQuarter[], window = 8) {
  const builder = sampleSeries(quarters);
  return leaderboardOf({ funds: builder.funds(), benchmarked: builder.benchmarked(), latest: LAST, window });
}
