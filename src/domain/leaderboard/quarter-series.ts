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

/** A quarter held by a copier. Fractions in billionths. */
export type HeldQuarter = {
  /** Null when too little of the portfolio is priced: the quarter is not counted. */
  readonly counted: CountedQuarter | null;
  /** Excess of the whole copy, counted or not: bounds for what has no price. */
  readonly carried: bigint;
  readonly lost: bigint;
  readonly pricedWeight: bigint;
};

/** What a report is judged by, without what is copied. */
export type JudgedPortfolio = Omit<Portfolio, 'copied' | 'cik' | 'quarterEnd'>;

/** What one quarter adds to the series of a manager; null where it adds nothing. */
export type ManagerQuarter = {
  readonly cik: Cik;
  readonly portfolio: JudgedPortfolio | null;
  readonly lagged: HeldQuarter | null;
  readonly disclosed: bigint | null;
  readonly turnover: bigint | null;
};

/** What one quarter adds to all series, in order of CIK. */
export type QuarterSeries = {
  readonly quarterEnd: QuarterEnd;
  /** Whether the benchmark has a return over the quarter. */
  readonly isBenchmarked: boolean;
  readonly managers: readonly ManagerQuarter[];
};

/** A quarter with the two before it: all that decides what it adds. Null before the first one. */
type AdjacentQuarters = {
  readonly quarter: LeaderboardQuarter;
  readonly before: LeaderboardQuarter | null;
  readonly twoBefore: LeaderboardQuarter | null;
};

/** The report of quarter q is bought at the end of q + 1 and sold at the end of q + 2 (rule 9.1). */
export function quarterSeries({ quarter, before, twoBefore }: AdjacentQuarters): QuarterSeries {
  const added: Added = new Map();
  notePortfolios(added, quarter, before);
  const isBenchmarked = before !== null && noteReturns(added, { quarter, before, twoBefore });
  const managers = [...added].map(([cik, one]) => ({ cik, ...one }));
  return {
    quarterEnd: quarter.quarterEnd,
    isBenchmarked,
    managers: managers.sort((a, b) => compare(a.cik, b.cik)),
  };
}

const NOTHING: readonly CopiedPosition[] = [];

type Adding = { -readonly [Name in Exclude<keyof ManagerQuarter, 'cik'>]: ManagerQuarter[Name] };
type Added = Map<Cik, Adding>;
type GainOf = (cusip: Cusip) => Gain;

function notePortfolios(
  added: Added,
  { portfolios, conversions }: LeaderboardQuarter,
  before: LeaderboardQuarter | null,
): void {
  const previous = new Map(before?.portfolios.map(({ cik, copied }) => [cik, copied]));
  for (const { copied, cik, quarterEnd: _, ...portfolio } of portfolios) {
    const adding = addingOf(added, cik);
    adding.portfolio = portfolio;
    adding.turnover = turnoverOf(renamed(previous.get(cik) ?? NOTHING, conversions), copied);
  }
}

/** Returns whether the benchmark has a return. */
function noteReturns(
  added: Added,
  { quarter, before, twoBefore }: AdjacentQuarters & { readonly before: LeaderboardQuarter },
): boolean {
  const gainOf = returnsOver({
    from: before.prices,
    to: quarter.prices,
    conversions: quarter.conversions,
  });
  noteDisclosed(added, before.portfolios, gainOf);
  const benchmark = gainOf(BENCHMARK.cusip);
  if (typeof benchmark !== 'bigint') return false;
  // Bought a quarter after the end of its period, under the CUSIPs of that day.
  const bought = (twoBefore?.portfolios ?? []).map(({ cik, copied }) => ({
    cik,
    copied: renamed(copied, before.conversions),
  }));
  noteLagged(added, bought, { gainOf, benchmark });
  return true;
}

/** A security that only has a new CUSIP was not sold and bought. The same list where there is none. */
function renamed(
  copied: readonly CopiedPosition[],
  conversions: ShareConversions,
): readonly CopiedPosition[] {
  const cusipOf = (cusip: Cusip): Cusip => conversions.get(cusip)?.cusip ?? cusip;
  if (copied.every(({ cusip }) => cusipOf(cusip) === cusip)) return copied;
  return copied.map(({ cusip, weight }) => ({ cusip: cusipOf(cusip), weight }));
}

type Copied = Pick<Portfolio, 'cik' | 'copied'>;

function noteDisclosed(added: Added, portfolios: readonly Copied[], gainOf: GainOf): void {
  for (const { cik, copied } of portfolios) {
    const earned = copiedReturn(copied, gainOf);
    if (earned === null || earned.priced === null || earned.pricedWeight < MIN_QUARTER_PRICED_WEIGHT)
      continue;
    addingOf(added, cik).disclosed = earned.priced;
  }
}

function noteLagged(
  added: Added,
  portfolios: readonly Copied[],
  { gainOf, benchmark }: { readonly gainOf: GainOf; readonly benchmark: bigint },
): void {
  for (const { cik, copied } of portfolios) {
    const earned = copiedReturn(copied, gainOf);
    if (earned === null) continue;
    const { priced, carried, lost, pricedWeight } = earned;
    const counted =
      priced === null || pricedWeight < MIN_QUARTER_PRICED_WEIGHT
        ? null
        : { gained: priced, excess: priced - benchmark };
    const bounds = { carried: carried - benchmark, lost: lost - benchmark };
    addingOf(added, cik).lagged = { counted, ...bounds, pricedWeight };
  }
}

function addingOf(added: Added, cik: Cik): Adding {
  const known = added.get(cik);
  if (known !== undefined) return known;
  const fresh: Adding = { portfolio: null, lagged: null, disclosed: null, turnover: null };
  added.set(cik, fresh);
  return fresh;
}

/** A quarter held by a copier, named by its end. */
export type LaggedQuarter = HeldQuarter & { readonly to: QuarterEnd };

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

/** Joins what adjacent quarters add, oldest first, to the series of each manager. */
export function seriesBuilder() {
  const funds = new Map<Cik, FundSeries>();
  const benchmarked: QuarterEnd[] = [];
  return {
    add({ quarterEnd, isBenchmarked, managers }: QuarterSeries): void {
      if (isBenchmarked) benchmarked.push(quarterEnd);
      for (const manager of managers) append(seriesOf(funds, manager.cik), manager, quarterEnd);
    },
    funds: () => [...funds.values()].sort((a, b) => compare(a.cik, b.cik)),
    /** Ends of the quarters over which the benchmark has a return. */
    benchmarked: () => [...benchmarked],
  };
}

function append(
  series: FundSeries,
  { cik, portfolio, lagged, disclosed, turnover }: ManagerQuarter,
  to: QuarterEnd,
): void {
  if (portfolio !== null) series.portfolios.push({ cik, quarterEnd: to, ...portfolio });
  if (lagged !== null) series.lagged.push({ to, ...lagged });
  if (disclosed !== null) series.disclosed.push({ to, value: disclosed });
  if (turnover !== null) series.turnover.push({ to, value: turnover });
}

function seriesOf(funds: Map<Cik, FundSeries>, cik: Cik): FundSeries {
  const known = funds.get(cik);
  if (known !== undefined) return known;
  const fresh: FundSeries = { cik, portfolios: [], lagged: [], disclosed: [], turnover: [] };
  funds.set(cik, fresh);
  return fresh;
}
