import { describe, expect, it } from 'vitest';
import type { Cik, Cusip } from '../ids.ts';
import { NO_CONVERSIONS, type ShareConversions } from '../peers/verdict.ts';
import type { Reason } from '../quality/quality.ts';
import { priceSecurities } from '../report/implied-price.sample.ts';
import { BENCHMARK, DISCLAIMER, METHOD_DESCRIPTION, METHOD_LIMITATIONS } from './method.ts';
import { hasCleanScale, reasonsOfReport } from './portfolio.ts';
import type { LeaderboardQuarter } from './quarter-series.ts';
import {
  boardOf,
  heldRow,
  MANAGERS,
  type SampleManager,
  STEADY,
  sampleQuarters,
  UP_AND_DOWN,
} from './rank.sample.ts';

const [STOCK = BENCHMARK.cusip] = UP_AND_DOWN;
const FOUR_FOR_ONE = { numerator: 4n, denominator: 1n };
const SPLIT_AT = 5;

/** The market with one stock at a quarter of its price from one quarter on. */
function quartered(conversions: ShareConversions): LeaderboardQuarter[] {
  return sampleQuarters().map((quarter, at) => {
    const price = quarter.prices.get(STOCK);
    if (at < SPLIT_AT || price === undefined) return quarter;
    const after = { ...price, shares: price.shares * 4n };
    const suspected = at === SPLIT_AT ? { unchanged: 0, splitLike: price.compared } : {};
    const prices = new Map(quarter.prices).set(STOCK, { ...after, ...suspected });
    return { ...quarter, prices, conversions: at === SPLIT_AT ? conversions : NO_CONVERSIONS };
  });
}

describe('splits', () => {
  it('a split that the filers confirmed changes no return (rule 9.2)', () => {
    const adjusted = boardOf(quartered(new Map([[STOCK, FOUR_FOR_ONE]])));
    expect(adjusted).toEqual(boardOf(sampleQuarters()));
  });

  it('a position of a suspected split is unpriced, which is no loss (rule 9.2)', () => {
    const { leaders } = boardOf(quartered(NO_CONVERSIONS));
    const [leader, clean] = [leaders, boardOf(sampleQuarters()).leaders].map((of) =>
      of.find(({ cik }) => cik === '0000000008'),
    );
    // The five move alike, so the copy earns the same without one of them.
    expect(leader?.excessPct).toBe(clean?.excessPct);
    expect(leader?.maxDrawdownPct).toBe(clean?.maxDrawdownPct);
    expect(leader?.carriedExcessPct).not.toBe(clean?.carriedExcessPct);
  });

  it('a position under a CUSIP that changed before the purchase is bought under the new one (rule 9.2)', () => {
    const renamed = 'Z00000009' as Cusip;
    const moved = sampleQuarters().map((quarter, at): LeaderboardQuarter => {
      const price = quarter.prices.get(STOCK);
      if (at < SPLIT_AT || price === undefined) return quarter;
      const prices = new Map(quarter.prices).set(renamed, price);
      prices.delete(STOCK);
      const portfolios = quarter.portfolios.map((portfolio) => ({
        ...portfolio,
        copied: portfolio.copied.map((one) => (one.cusip === STOCK ? { ...one, cusip: renamed } : one)),
      }));
      const conversion = { numerator: 1n, denominator: 1n, cusip: renamed };
      return {
        ...quarter,
        prices,
        portfolios,
        conversions: at === SPLIT_AT ? new Map([[STOCK, conversion]]) : NO_CONVERSIONS,
      };
    });
    expect(boardOf(moved)).toEqual(boardOf(sampleQuarters()));
  });
});

describe('clean scales', () => {
  const excludedFor = (...reasons: Reason[]) =>
    reasonsOfReport({ reasons, confidentialOmitted: false, reportType: 'holdings', filings: [] });

  it('a corrected scale is clean, one that nothing confirms is not (rule 9.3)', () => {
    expect(excludedFor('value_unit_thousands_after_2023')).toEqual([]);
    expect(hasCleanScale({ reasons: ['value_unit_dollars_before_2023', 'entry_total_mismatch'] })).toBe(true);
    expect(excludedFor('value_unit_unverified')).toEqual(['scale_unverified']);
  });

  it('a report that repeats values as shares gives no price and no rank (rule 9.3)', () => {
    expect(hasCleanScale({ reasons: ['shares_equal_value'] })).toBe(false);
    const doubted: SampleManager = {
      cik: '0000000007',
      cusips: STEADY,
      reasons: (at) => (at === 4 ? excludedFor('shares_equal_value') : []),
    };
    const { leaders, eligibility } = boardOf(sampleQuarters([...MANAGERS, doubted]));
    expect(eligibility.reasons).toMatchObject({
      scale_unverified: 1,
      too_few_quarters: 1,
      mostly_options: 0,
    });
    expect(leaders.map(({ cik }) => cik)).not.toContain('0000000007');
  });

  it('a manager with the same positions as another one is ranked, and its line says so (rule 9.4)', () => {
    const twin: SampleManager = {
      cik: '0000000007',
      cusips: STEADY,
      reasons: () => excludedFor('identical_positions'),
    };
    const line = boardOf(sampleQuarters([...MANAGERS, twin])).leaders.find(({ cik }) => cik === twin.cik);
    expect(line?.limitations).toContain(
      '10 reports have exactly the positions of another manager, which may be ranked by them too.',
    );
  });
});

describe('prices', () => {
  const quote = (cik: number, valueCents: bigint) => heldRow(String(cik) as Cik, STOCK, valueCents, 100n);

  it('a security of fewer than three filers has no price, so no filer prices itself (rule 4.2)', () => {
    expect(priceSecurities([quote(1, 500n), quote(2, 500n)])).toEqual([]);
    expect(priceSecurities([quote(1, 500n), quote(2, 500n), quote(3, 500n)])).toHaveLength(1);
  });

  it('a filer more than five percent from the median moves no price (rule 4.2)', () => {
    const near = [quote(1, 500n), quote(2, 501n), quote(3, 502n)];
    const [[, price] = []] = priceSecurities([...near, { ...quote(4, 50_000_000n), amount: 10_000n }]);
    expect(price).toMatchObject({ filers: 3, valueCents: 501n, shares: 100n });
  });
});

describe('honest about luck', () => {
  it('twice the quarters of the same luck weigh more, and the answer says when they are few (rule 9.3)', () => {
    const leader = boardOf(sampleQuarters()).leaders[0];
    expect(leader).toMatchObject({ quarters: 8, score: 0.5, limitations: ['Only 8 quarters are counted.'] });
    // Unshrunk it would be a mean of one percent over a floor of one: 1.
    expect(leader?.tStat).not.toBeNull();
  });

  it('the answer says what the method is, what it cannot see, and that it is not advice (rule 9.4)', () => {
    expect(METHOD_DESCRIPTION).toContain('n/(n+8)');
    expect(DISCLAIMER).toMatch(/historical copyability under the stated method.*not investment advice/i);
    for (const pitfall of [
      /no dividends, costs or trades within a quarter/,
      /one to two quarters behind/,
      /no short positions, cash, bonds, options or securities outside/,
      /with them at their last price, and with all of their value lost/,
      /weights are those of the date of the report/i,
      /rounded to a thousand dollars/,
      /spin-off counts as a loss of the parent/,
      /report of uncertain scale is left out/,
      /flows into or out of a manager is not a return/,
      /only managers that still report are ranked/i,
      /by luck/,
    ]) {
      expect(METHOD_LIMITATIONS.some((sentence) => pitfall.test(sentence))).toBe(true);
    }
  });
});
