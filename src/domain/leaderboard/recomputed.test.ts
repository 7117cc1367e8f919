import { expect, it } from 'vitest';
import type { Cik, Cusip, IsoDate, QuarterEnd } from '../ids.ts';
import type { ShareConversions } from '../peers/verdict.ts';
import { nextQuarterEnd } from '../quarter.ts';
import { priceSecurities } from '../report/implied-price.sample.ts';
import type { HeldRow } from '../report/implied-price.ts';
import { BENCHMARK } from './method.ts';
import { portfolioOf } from './portfolio.ts';
import type { LeaderboardQuarter } from './quarter-series.ts';
import { sampleSeries } from './rank.sample.ts';
import { leaderboardOf } from './rank.ts';

/**
 * One made-up market of fourteen quarters, ranked once by the product and once here: from the prices
 * that the market was made with, in floating point, straight from the sentences of rules 9.1 to 9.3.
 */
const QUARTERS = 14;
const WINDOW = 12;
const MANAGERS = 9;
const [SPLIT, GONE] = ['S00000003', 'S00000005'];
const SPLIT_AT = 6;
const GONE_FROM = 9;
const STOCKS = [
  BENCHMARK.cusip as string,
  ...Array.from({ length: 28 }, (_, n) => `S${String(n).padStart(8, '0')}`),
];
const ends = Array.from({ length: QUARTERS - 1 }).reduce<QuarterEnd[]>(
  (all) => [...all, nextQuarterEnd(all.at(-1) as QuarterEnd)],
  ['2015-12-31' as QuarterEnd],
);

/** A number of [0, 1) that depends only on its arguments (a hash of 32 bits). */
function chance(...seeds: readonly number[]): number {
  let hash = 2_166_136_261;
  for (const seed of seeds) hash = Math.imul(hash ^ (seed + 374_761_393), 668_265_263) ^ (hash >>> 13);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}

/** Whole cents of a share at the end of the n-th quarter; every filer's value is computed with it. */
const PRICES = STOCKS.map((cusip, stock) => {
  let price = 20_000 + Math.floor(60_000 * chance(stock, 1));
  return ends.map((_, at) => {
    if (at > 0) price = Math.round(price * (0.86 + 0.3 * chance(stock, at, 4)));
    if (cusip === SPLIT && at === SPLIT_AT) price = Math.round(price / 4);
    return price;
  });
});
const priceOf = (stock: number, at: number): number => PRICES[stock]?.[at] ?? 0;
const isGone = (stock: number, at: number): boolean => STOCKS[stock] === GONE && at >= GONE_FROM;

type Holding = { readonly stock: number; readonly shares: number };

/** The first three hold everything, so that all of it is priced. The others hold a part in other weights. */
function holdingsOf(manager: number, at: number): Holding[] {
  return STOCKS.flatMap((_, stock) => {
    const isHeld = manager < 3 || chance(manager, stock, Math.floor(at / 3)) < 0.75;
    if (!isHeld || isGone(stock, at)) return [];
    const shares = 1_000 + Math.floor(50_000 * chance(manager, stock, 7) ** 3);
    return [{ stock, shares: STOCKS[stock] === SPLIT && at >= SPLIT_AT ? shares * 4 : shares }];
  });
}

const cikOf = (manager: number): Cik => String(manager + 1).padStart(10, '0') as Cik;
/** The fifth manager was late once. */
const isLate = (manager: number, at: number): boolean => manager === 4 && at === 5;
/** The sixth one listed mostly options once, and the seventh had a doubtful scale twice. */
const isMostlyOptions = (manager: number, at: number): boolean => manager === 5 && at === 6;
const isDoubtful = (manager: number, at: number): boolean => manager === 6 && (at === 3 || at === 8);

function ranked() {
  const quarters = ends.map((quarterEnd, at): LeaderboardQuarter => {
    const rows = Array.from({ length: MANAGERS }, (_, manager) => rowsOf(manager, at));
    const portfolios = rows.map((held, manager) =>
      portfolioOf({
        cik: cikOf(manager),
        quarterEnd,
        firstFiled: nextQuarterEnd(quarterEnd) as string as IsoDate,
        rows: held,
        holdingsCount: held.length,
        equityCents: held.reduce((sum, { valueCents }) => sum + valueCents, 0n),
        reportedCents: 1_000n,
        optionCents: isMostlyOptions(manager, at) ? 501n : 500n,
        reasons: isLate(manager, at) ? ['late'] : isDoubtful(manager, at) ? ['scale_unverified'] : [],
      }),
    );
    const conversions: ShareConversions =
      at === SPLIT_AT ? new Map([[SPLIT as Cusip, { numerator: 4n, denominator: 1n }]]) : new Map();
    return { quarterEnd, prices: new Map(priceSecurities(rows.flat())), conversions, portfolios };
  });
  const builder = sampleSeries(quarters);
  const latest = ends.at(-1) as QuarterEnd;
  return leaderboardOf({
    funds: builder.funds(),
    benchmarked: builder.benchmarked(),
    latest,
    window: WINDOW,
  });
}

function rowsOf(manager: number, at: number): HeldRow[] {
  const before = new Map(holdingsOf(manager, at - 1).map(({ stock, shares }) => [stock, shares]));
  return holdingsOf(manager, at).map(({ stock, shares }) => ({
    cik: cikOf(manager),
    cusip: STOCKS[stock] as Cusip,
    amount: BigInt(shares),
    valueCents: BigInt(shares) * BigInt(priceOf(stock, at)),
    priorAmount: BigInt(at === 0 ? 0 : (before.get(stock) ?? 0)),
    reasons: [],
  }));
}

/** Return of one share over the quarter that ends at `at`; null without a price at its end. */
function earned(stock: number, at: number): number | null {
  if (isGone(stock, at)) return null;
  const factor = STOCKS[stock] === SPLIT && at === SPLIT_AT ? 4 : 1;
  return (priceOf(stock, at) * factor) / priceOf(stock, at - 1) - 1;
}

/** What the copier of a report earns over the market in the quarter that ends at `at`, with both bounds. */
function excessOf(manager: number, at: number): Record<'excess' | 'carried' | 'lost', number> | null {
  const leftOut = [isLate, isMostlyOptions, isDoubtful].some((is) => is(manager, at - 2));
  if (leftOut) return null;
  const largest = holdingsOf(manager, at - 2)
    .map(({ stock, shares }) => ({ stock, value: shares * priceOf(stock, at - 2) }))
    .sort((a, b) => b.value - a.value)
    .slice(0, 20);
  const cap = 0.15 * sum(largest.map(({ value }) => value));
  const weighed = largest.map(({ stock, value }) => ({
    weight: Math.min(value, cap),
    gained: isGone(stock, at - 1) ? null : earned(stock, at),
    isLost: isGone(stock, at) && !isGone(stock, at - 1),
  }));
  const priced = weighed.filter(({ gained }) => gained !== null);
  const gain = sum(priced.map(({ weight, gained }) => weight * (gained ?? 0)));
  const market = earned(0, at) ?? 0;
  const all = sum(weighed.map(({ weight }) => weight));
  return {
    excess: gain / sum(priced.map(({ weight }) => weight)) - market,
    carried: gain / all - market,
    lost: (gain - sum(weighed.map(({ weight, isLost }) => (isLost ? weight : 0)))) / all - market,
  };
}

function expectedOf(manager: number) {
  const quarters = ends.flatMap((_, at) => (at < 2 ? [] : (excessOf(manager, at) ?? [])));
  const excesses = quarters.map(({ excess }) => excess);
  const n = excesses.length;
  const mean = sum(excesses) / n;
  const downside = Math.sqrt(sum(excesses.map((one) => Math.min(one, 0) ** 2)) / n);
  const deviation = Math.sqrt(sum(excesses.map((one) => (one - mean) ** 2)) / (n - 1));
  return {
    cik: cikOf(manager),
    quarters: n,
    score: scoreOf(mean * (n / (n + 8)), Math.max(downside, 0.01)),
    excess: mean,
    carried: sum(quarters.map(({ carried }) => carried)) / n,
    lost: sum(quarters.map(({ lost }) => lost)) / n,
    wins: excesses.filter((one) => one > 0).length / n,
    tStat: (mean * Math.sqrt(n)) / deviation,
  };
}

/** Risk divides a gain and multiplies a loss, both in percent. */
const scoreOf = (shrunk: number, risk: number): number => (shrunk < 0 ? shrunk * risk * 1e4 : shrunk / risk);
const sum = (values: readonly number[]): number => values.reduce((all, one) => all + one, 0);
/** Half a unit of the last decimal, and the rounding of billionths before it. */
const SCORE_ERROR = 1e-6;
const PCT_ERROR = 1e-4;

it('a second computation in floating point gives every score, rank and bound to the sixth decimal (rule 9.3)', () => {
  const expected = Array.from({ length: MANAGERS }, (_, manager) => expectedOf(manager)).sort(
    (a, b) => b.score - a.score,
  );
  const { leaders } = ranked();
  expect(leaders.map(({ cik }) => cik)).toEqual(expected.map(({ cik }) => cik));
  for (const [at, { score, excess, carried, lost, wins, tStat, quarters }] of expected.entries()) {
    const leader = leaders[at];
    expect(leader?.quarters).toBe(quarters);
    expect(Math.abs((leader?.score ?? 9) - score)).toBeLessThan(SCORE_ERROR);
    expect(Math.abs((leader?.excessPct ?? 9) - excess * 100)).toBeLessThan(PCT_ERROR);
    expect(Math.abs((leader?.carriedExcessPct ?? 9) - carried * 100)).toBeLessThan(PCT_ERROR);
    expect(Math.abs((leader?.lostExcessPct ?? 9) - lost * 100)).toBeLessThan(PCT_ERROR);
    expect(leader?.quartersLeftOut).toBe(WINDOW - quarters);
    expect(Math.abs((leader?.winRatePct ?? 9) - wins * 100)).toBeLessThan(PCT_ERROR);
    expect(Math.abs((leader?.tStat ?? 9) - tStat)).toBeLessThan(PCT_ERROR);
  }
  // The market has losses and gains, late and doubtful reports, and a position without a price.
  expect(new Set(expected.map(({ quarters }) => quarters))).toEqual(new Set([10, 11, 12]));
  expect(expected.some(({ score }) => score > 0) && expected.some(({ score }) => score < 0)).toBe(true);
  expect(expected.some(({ excess, carried }) => Math.abs(excess - carried) > 1e-4)).toBe(true);
  expect(expected.some(({ lost, carried }) => carried - lost > 1e-4)).toBe(true);
});
