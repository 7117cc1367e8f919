import { expect, it } from 'vitest';
import type { Cik, QuarterEnd } from '../ids.ts';
import { ineligibilityOf } from './measure.ts';
import { faultsOf, type Portfolio } from './portfolio.ts';
import type { LaggedQuarter } from './quarter-series.ts';

const LATEST = '2018-09-30' as QuarterEnd;
/** The last report that a copier has held for a quarter. */
const HELD = '2018-03-31' as QuarterEnd;
const portfolio = (rest: Partial<Portfolio> = {}): Portfolio => ({
  cik: '0000000001' as Cik,
  quarterEnd: LATEST,
  lagDays: 45,
  holdingsCount: 5,
  top10Weight: 200_000_000n,
  optionShare: 500_000_000n,
  reasons: [],
  copied: [],
  ...rest,
});
const quarter = (rest: Partial<LaggedQuarter> = {}): LaggedQuarter => ({
  to: LATEST,
  counted: { gained: 0n, excess: 0n },
  carried: 0n,
  lost: 0n,
  pricedWeight: 850_000_000n,
  ...rest,
});
const judged = (
  first: Partial<Portfolio>,
  lagged: LaggedQuarter[] = Array.from({ length: 8 }, () => quarter()),
) => ineligibilityOf({ portfolios: [portfolio(first), portfolio()], lagged }, LATEST);

it('a manager at exactly every bound is ranked (rule 9.3)', () => {
  expect(judged({})).toEqual([]);
  expect(judged({ holdingsCount: 750 })).toEqual([]);
});

it.each([
  ['too_few_positions', { holdingsCount: 4 }],
  ['too_many_positions', { holdingsCount: 751 }],
  ['not_concentrated', { top10Weight: 199_999_999n }],
  ['mostly_options', { optionShare: 500_000_001n }],
  ['scale_unverified', { reasons: ['scale_unverified' as const] }],
])('%s leaves out one quarter; the manager stays ranked with enough others (rule 9.3)', (reason, first) => {
  expect(faultsOf(portfolio(first))).toEqual([reason]);
  const held = { ...first, quarterEnd: HELD };
  expect(judged(held)).toEqual([]);
  const seven = Array.from({ length: 7 }, () => quarter());
  expect(new Set(judged(held, seven))).toEqual(new Set(['too_few_quarters', reason]));
  // No copier has held the latest report yet, so it is not why quarters are missing.
  expect(judged(first, seven)).toEqual(['too_few_quarters']);
});

it('too_few_quarters: seven counted quarters and one that is not counted (rule 9.3)', () => {
  const lagged = Array.from({ length: 8 }, (_, at) => quarter(at === 0 ? { counted: null } : {}));
  expect(judged({}, lagged)).toEqual(['too_few_quarters']);
});

it('low_priced_weight: by the median over the quarters (rule 9.3)', () => {
  const low = { pricedWeight: 849_999_998n };
  expect(
    judged(
      {},
      Array.from({ length: 8 }, (_, at) => quarter(at < 4 ? low : {})),
    ),
  ).toEqual(['low_priced_weight']);
  expect(
    judged(
      {},
      Array.from({ length: 8 }, (_, at) => quarter(at < 3 ? low : {})),
    ),
  ).toEqual([]);
});

it('not_current: the last report is of an earlier quarter (rule 9.3)', () => {
  const portfolios = [portfolio({ quarterEnd: '2018-06-30' as QuarterEnd })];
  expect(ineligibilityOf({ portfolios, lagged: Array.from({ length: 8 }, () => quarter()) }, LATEST)).toEqual(
    ['not_current'],
  );
});
