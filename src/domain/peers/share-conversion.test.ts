import { expect, it } from 'vitest';
import type { Cusip } from '../ids.ts';
import type { LeaderboardQuarter } from '../leaderboard/quarter-series.ts';
import { sampleQuarters, sampleSeries, UP_AND_DOWN } from '../leaderboard/rank.sample.ts';
import { type CorporateAction, shareConversionsOf } from './verdict.ts';

const [OLD = '' as Cusip] = UP_AND_DOWN;
const NEW = 'G00000999' as Cusip;
const RENAMED: CorporateAction = {
  kind: 'cusip_change',
  cusip: NEW,
  from: OLD,
  factor: { numerator: 1n, denominator: 10n },
  votes: 3,
  compared: 3,
};

it('a split is listed under its CUSIP, a CUSIP change under the old one, and nothing else', () => {
  const conversions = shareConversionsOf([
    RENAMED,
    { kind: 'split', cusip: 'G00000555' as Cusip, factor: FOUR, votes: 5, compared: 6 },
    { kind: 'mass_exit', cusip: 'G00000556' as Cusip, votes: 9, compared: 9 },
    { kind: 'split_suspected', cusip: 'G00000557' as Cusip, factor: FOUR, votes: 8, compared: 9 },
  ]);
  expect([...conversions]).toEqual([
    [OLD, { numerator: 1n, denominator: 10n, cusip: NEW }],
    ['G00000555', FOUR],
  ]);
});

it('a reverse split under a new CUSIP changes no return and no turnover of its holders (rule 9.2)', () => {
  const quarters = sampleQuarters();
  const renamed = quarters.map((quarter, at) => (at < 5 ? quarter : afterReverseSplit(quarter, at === 5)));
  expect(sampleSeries(renamed).funds()).toEqual(sampleSeries(quarters).funds());
  const unvoted = renamed.map((quarter) => ({ ...quarter, conversions: shareConversionsOf([]) }));
  expect(sampleSeries(unvoted).funds()).not.toEqual(sampleSeries(quarters).funds());
});

const FOUR = { numerator: 4n, denominator: 1n };

/** The quarter with a tenth of the shares of the first security at ten times the price, under its new CUSIP. */
function afterReverseSplit(quarter: LeaderboardQuarter, isFirst: boolean): LeaderboardQuarter {
  const named = (cusip: Cusip): Cusip => (cusip === OLD ? NEW : cusip);
  return {
    ...quarter,
    prices: new Map(
      [...quarter.prices].map(([cusip, price]) =>
        cusip === OLD ? [NEW, { ...price, valueCents: price.valueCents * 10n }] : [cusip, price],
      ),
    ),
    conversions: shareConversionsOf(isFirst ? [RENAMED] : []),
    portfolios: quarter.portfolios.map((portfolio) => ({
      ...portfolio,
      copied: portfolio.copied.map((one) => ({ ...one, cusip: named(one.cusip) })),
    })),
  };
}
