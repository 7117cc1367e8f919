import { compare } from '../compare.ts';
import type { Cik, QuarterEnd } from '../ids.ts';
import type { Portfolio } from './portfolio.ts';
import type { HeldQuarter, ManagerQuarter, QuarterSeries } from './quarter-series.ts';

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
