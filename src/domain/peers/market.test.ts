// @module-tag long
import { describe, expect, it } from 'vitest';
import type { SplitFactor } from '../report/report.ts';
import {
  cashMerger,
  KEPT,
  type Market,
  moveBy,
  NEW,
  OLD,
  offering,
  PARENT,
  rushOfBuyers,
  spinOff,
  stockMerger,
} from './market.sample.ts';
import { corporateActionsOf, type SampleHolding } from './peers.sample.ts';

const markets = (managers: number, still: number, seeds: number): Market[] =>
  Array.from({ length: seeds }, (_, at) => ({ managers, still, seed: at + 1 }));
const MARKETS = [
  ...[5, 10, 15, 25].flatMap((still) => markets(60, still, 5)),
  ...[5, 25].flatMap((still) => markets(2_000, still, 1)),
];
const factor = (numerator: bigint, denominator = 1n): SplitFactor => ({ numerator, denominator });
/** What restates, links or doubts. */
const actionsOf = (holdings: readonly SampleHolding[]) =>
  corporateActionsOf(holdings)
    .filter(({ cusip, kind }) => cusip !== KEPT && kind !== 'refuted')
    .map(({ kind, cusip, ...action }) =>
      'factor' in action ? { kind, cusip, factor: action.factor } : { kind, cusip },
    );
const each = (build: (market: Market) => readonly SampleHolding[]) =>
  MARKETS.map((market) => ({ market, actions: actionsOf(build(market)) }));
const all = (actions: readonly unknown[]) => MARKETS.map((market) => ({ market, actions }));

describe('markets of 60 and 2,000 holders, 5 to 25 % of whom do not trade', { timeout: 60_000 }, () => {
  const split = (by: SplitFactor) => [{ kind: 'split', cusip: OLD, factor: by }];
  const change = (by: SplitFactor) => [{ kind: 'cusip_change', cusip: NEW, factor: by }];

  it('restate a 10 for 1 at 1.37 times the inverse price, and a 3 for 1 (rule 4.5)', () => {
    expect(each((market) => moveBy(market, 10, [90_000n, 12_330n]))).toEqual(all(split(factor(10n))));
    expect(each((market) => moveBy(market, 3, [90_000n, 33_000n]))).toEqual(all(split(factor(3n))));
  });

  it('restate a 3 for 2 and stock dividends of 10 and 5 % (rule 4.5)', () => {
    expect(each((market) => moveBy(market, 1.5, [9_000n, 6_600n]))).toEqual(all(split(factor(3n, 2n))));
    expect(each((market) => moveBy(market, 1.1, [9_000n, 8_800n]))).toEqual(all(split(factor(11n, 10n))));
    expect(each((market) => moveBy(market, 1.05, [9_000n, 9_300n]))).toEqual(all(split(factor(21n, 20n))));
  });

  it('link a 1 for 10 under a new CUSIP after a fall, and a rename with a new prefix (rule 4.8)', () => {
    const sameIssuer = `${OLD.slice(0, 6)}903` as typeof OLD;
    expect(each((market) => moveBy(market, 0.1, [440n, 799n], sameIssuer))).toEqual(
      all([{ kind: 'cusip_change', cusip: sameIssuer, factor: factor(1n, 10n) }]),
    );
    expect(each((market) => moveBy(market, 0.1, [440n, 3_900n], NEW))).toEqual(all(change(factor(1n, 10n))));
    expect(each((market) => moveBy(market, 1, [9_000n, 9_400n], NEW))).toEqual(all(change(factor(1n))));
  });

  it('restate and link nothing for a rush of buyers, an offering and a spin-off (rules 4.5 to 4.9)', () => {
    expect(each(rushOfBuyers)).toEqual(all([]));
    expect(each(offering)).toEqual(all([]));
    expect(each(spinOff)).toEqual(all([{ kind: 'mass_entry', cusip: NEW }]));
  });

  it('find a merger for stock, and none where the target was paid for in money (rule 4.9)', () => {
    const ceased = { kind: 'mass_exit', cusip: OLD };
    expect(each(stockMerger)).toEqual(all([ceased, { kind: 'stock_merger', cusip: PARENT }]));
    expect(each(cashMerger)).toEqual(all([ceased]));
  });
});
