import { compare } from '../compare.ts';
import type { Cik, Cusip, QuarterEnd } from '../ids.ts';
import type { ShareConversions } from '../peers/verdict.ts';
import type { PriceTable } from '../report/implied-price.ts';
import { BENCHMARK } from './method.ts';
import type { CopiedPosition, Portfolio } from './portfolio.ts';
import { copiedReturn, type Gain, returnsOver, turnoverOf } from './return.ts';
import { MIN_QUARTER_PRICED_WEIGHT } from './thresholds.ts';

/** All that the leaderboard needs of a quarter. */
export type LeaderboardQuarter = {
  readonly quarterEnd: QuarterEnd;
  readonly prices: PriceTable;
  /** Confirmed splits and new CUSIPs since the quarter before. */
  readonly conversions: ShareConversions;
  readonly portfolios: readonly Portfolio[];
};

/** What the priced part of the copy gained, and its excess over the benchmark. */
export type CountedQuarter = Readonly<Record<'gained' | 'excess', bigint>>;

/** A quarter held by a copier, named by its end. Fractions in billionths. */
export type LaggedQuarter = {
  readonly to: QuarterEnd;
  /** Null when too little of the portfolio is priced: the quarter is not counted. */
  readonly counted: CountedQuarter | null;
  /** Excess of the whole copy, counted or not: bounds for what has no price. */
  readonly carried: bigint;
  readonly lost: bigint;
  readonly pricedWeight: bigint;
};

type Dated = { readonly to: QuarterEnd; readonly value: bigint };

/** A manager through time, oldest first. */
export type FundSeries = {
  readonly cik: Cik;
  readonly portfolios: Omit<Portfolio, 'copied'>[];
  readonly lagged: LaggedQuarter[];
  /** What the portfolio itself earned in the quarter after its period, which no copier could earn. */
  readonly disclosed: Dated[];
  /** Between the copied portfolios of the quarter and of the quarter before. */
  readonly turnover: Dated[];
};

/**
 * Adds adjacent quarters, oldest first, and keeps at most three of them. The report of quarter q is
 * bought at the end of q + 1 and sold at the end of q + 2 (rule 9.1).
 */
export function seriesBuilder() {
  const funds = new Map<Cik, FundSeries>();
  const benchmarked: QuarterEnd[] = [];
  let before: LeaderboardQuarter | null = null;
  let twoBefore: LeaderboardQuarter | null = null;
  return {
    add(quarter: LeaderboardQuarter): void {
      notePortfolios(funds, quarter, before);
      if (before !== null) {
        const gainOf = returnsOver({
          from: before.prices,
          to: quarter.prices,
          conversions: quarter.conversions,
        });
        const benchmark = gainOf(BENCHMARK.cusip);
        noteDisclosed(funds, before.portfolios, { gainOf, to: quarter.quarterEnd });
        if (typeof benchmark === 'bigint') {
          benchmarked.push(quarter.quarterEnd);
          // Bought a quarter after the end of its period, under the CUSIPs of that day.
          const { conversions } = before;
          const bought = (twoBefore?.portfolios ?? []).map((portfolio) => ({
            ...portfolio,
            copied: portfolio.copied.map((one) => renamed(one, conversions)),
          }));
          noteLagged(funds, bought, { gainOf, to: quarter.quarterEnd, benchmark });
        }
      }
      twoBefore = before;
      before = quarter;
    },
    funds: () => [...funds.values()].sort((a, b) => compare(a.cik, b.cik)),
    /** Ends of the quarters over which the benchmark has a return. */
    benchmarked: () => [...benchmarked],
  };
}

type Funds = Map<Cik, FundSeries>;
type Held = { readonly gainOf: (cusip: Cusip) => Gain; readonly to: QuarterEnd };

function notePortfolios(
  funds: Funds,
  { quarterEnd, portfolios, conversions }: LeaderboardQuarter,
  before: LeaderboardQuarter | null,
) {
  const previous = new Map(before?.portfolios.map((portfolio) => [portfolio.cik, portfolio]));
  for (const { copied, ...portfolio } of portfolios) {
    const series = seriesOf(funds, portfolio.cik);
    series.portfolios.push(portfolio);
    const held = (previous.get(portfolio.cik)?.copied ?? []).map((one) => renamed(one, conversions));
    const value = turnoverOf(held, copied);
    if (value !== null) series.turnover.push({ to: quarterEnd, value });
  }
}

/** A security that only has a new CUSIP was not sold and bought. */
function renamed({ cusip, weight }: CopiedPosition, conversions: ShareConversions): CopiedPosition {
  return { cusip: conversions.get(cusip)?.cusip ?? cusip, weight };
}

function noteDisclosed(funds: Funds, portfolios: readonly Portfolio[], { gainOf, to }: Held): void {
  for (const portfolio of portfolios) {
    const earned = copiedReturn(portfolio.copied, gainOf);
    if (earned === null || earned.priced === null || earned.pricedWeight < MIN_QUARTER_PRICED_WEIGHT)
      continue;
    seriesOf(funds, portfolio.cik).disclosed.push({ to, value: earned.priced });
  }
}

function noteLagged(
  funds: Funds,
  portfolios: readonly Portfolio[],
  { gainOf, to, benchmark }: Held & { readonly benchmark: bigint },
): void {
  for (const portfolio of portfolios) {
    const earned = copiedReturn(portfolio.copied, gainOf);
    if (earned === null) continue;
    const { priced, carried, lost, pricedWeight } = earned;
    const counted =
      priced === null || pricedWeight < MIN_QUARTER_PRICED_WEIGHT
        ? null
        : { gained: priced, excess: priced - benchmark };
    const bounds = { carried: carried - benchmark, lost: lost - benchmark };
    seriesOf(funds, portfolio.cik).lagged.push({ to, counted, ...bounds, pricedWeight });
  }
}

function seriesOf(funds: Funds, cik: Cik): FundSeries {
  const known = funds.get(cik);
  if (known !== undefined) return known;
  const fresh: FundSeries = { cik, portfolios: [], lagged: [], disclosed: [], turnover: [] };
  funds.set(cik, fresh);
  return fresh;
}
