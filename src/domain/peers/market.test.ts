// @module-tag long
import { describe, expect, it } from 'vitest';
import { filesOf, priced } from '../market/market.sample.ts';
import { marketOf, type PricedSecurity } from '../market/market.ts';
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
/** What restates, links or doubts, as in `split B00000002 10:1`. */
const actionsOf = (holdings: readonly SampleHolding[], files: readonly PricedSecurity[]) =>
  corporateActionsOf(holdings, { market: marketOf(filesOf(...files)) })
    .filter(({ cusip }) => cusip !== KEPT)
    .map((action) => {
      const factor = 'factor' in action ? ` ${action.factor.numerator}:${action.factor.denominator}` : '';
      return `${action.kind} ${action.cusip}${factor}`;
    });
const each = (build: (market: Market) => readonly SampleHolding[], files: readonly PricedSecurity[] = []) =>
  MARKETS.map((market) => ({ market, actions: actionsOf(build(market), files) }));
const all = (...actions: readonly string[]) => MARKETS.map((market) => ({ market, actions }));
const [LAST, FIRST] = ['2024-02-13', '2024-02-14'];
/** The price jumps between two days, of the same CUSIP or from it to another one. */
const jump = (before: number, after: number, now = OLD) => [
  priced(OLD, 'OLD', { [LAST]: before }),
  priced(now, 'OLD', { [FIRST]: after }),
];

describe('markets of 60 and 2,000 holders, 5 to 25 % of whom do not trade', { timeout: 60_000 }, () => {
  it('restate a 10 for 1 and a 3 for 1 whose price jumped, and suspect them without files (rules 4.5 and 4.7)', () => {
    const [ten, three] = [
      (market: Market) => moveBy(market, 10, [90_000n, 9_900n]),
      (market: Market) => moveBy(market, 3, [90_000n, 33_000n]),
    ];
    expect(each(ten, jump(900, 91))).toEqual(all(`split ${OLD} 10:1`));
    expect(each(three, jump(900, 305))).toEqual(all(`split ${OLD} 3:1`));
    expect(each(ten)).toEqual(all(`split_suspected ${OLD} 10:1`));
    expect(each(three)).toEqual(all(`split_suspected ${OLD} 3:1`));
  });

  it('suspect a 3 for 2 and a stock dividend of 10 % (rule 4.7)', () => {
    expect(each((market) => moveBy(market, 1.5, [9_000n, 6_300n]))).toEqual(
      all(`split_suspected ${OLD} 3:2`),
    );
    expect(each((market) => moveBy(market, 1.1, [9_000n, 8_300n]))).toEqual(
      all(`split_suspected ${OLD} 110:100`),
    );
  });

  it('link a 1 for 10 and a new name under a new CUSIP by the symbol, else suspect them (rule 4.8)', () => {
    const [reverse, renamed] = [
      (market: Market) => moveBy(market, 0.1, [440n, 3_900n], NEW),
      (market: Market) => moveBy(market, 1, [9_000n, 9_400n], NEW),
    ];
    expect(each(reverse, jump(4.4, 41, NEW))).toEqual(all(`cusip_change ${NEW} 1:10`));
    expect(each(renamed, jump(90, 91, NEW))).toEqual(all(`cusip_change ${NEW} 1:1`));
    expect(each(reverse)).toEqual(all(`cusip_change_suspected ${NEW}`));
    expect(each(renamed)).toEqual(all(`cusip_change_suspected ${NEW}`));
  });

  it('restate and link nothing for a rush of buyers, an offering and a spin-off (rules 4.5 to 4.9)', () => {
    expect(each(rushOfBuyers)).toEqual(all());
    expect(each(offering)).toEqual(all());
    expect(each(spinOff)).toEqual(all(`mass_entry ${NEW}`));
  });

  it('find a merger for stock, and none where the target was paid for in money (rule 4.9)', () => {
    expect(each(stockMerger)).toEqual(all(`mass_exit ${OLD}`, `stock_merger ${PARENT}`));
    expect(each(cashMerger)).toEqual(all(`mass_exit ${OLD}`));
  });
});
