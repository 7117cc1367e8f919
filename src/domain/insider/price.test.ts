import { describe, expect, test } from 'vitest';
import { briefInput, form4, reportingOwner } from '../brief/brief.sample.ts';
import { insiderLeg } from '../brief/insider-leg.ts';
import type { Accession, Cusip, IsoDate, QuarterEnd } from '../ids.ts';
import {
  quartersOf as filedQuartersOf,
  filer,
  filingOf,
  holding,
  reportsOf,
  type SampleHolding,
  stock,
} from '../peers/peers.sample.ts';
import type { FilingScale } from '../peers/verdict.ts';
import type { Reason } from '../quality/quality.ts';
import {
  issuerPrices,
  quarterPrices,
  quartersAround,
  quartersOf,
  referencesOf,
  rememberingPrices,
} from './price.ts';
import { priceReasons } from './reference-price.ts';
import { IMPLAUSIBLE_PRICE_FACTOR, IMPLAUSIBLE_PRICE_FACTOR_ACROSS_SPLITS } from './thresholds.ts';

const day = (text: string): IsoDate => text as IsoDate;
const price = (cents: bigint) => ({ valueCents: cents * 7n, shares: 7n });
const table = (quarters: Record<string, bigint>) =>
  new Map(Object.entries(quarters).map(([end, cents]) => [end as QuarterEnd, price(cents)] as const));

const IN_MARCH = {
  ...{ id: 'a', securityTitle: 'Common Stock', code: 'P', shares: '100000' },
  ...{ priced: true, placedOn: day('2020-03-02') },
};
const reasonsOf = (pricePerShare: string | null, prices: Record<string, bigint>): readonly string[] =>
  priceReasons({ ...IN_MARCH, pricePerShare }, referencesOf(table(prices)), []);

describe('an implausible price', () => {
  test('is above ten times the implied price of the quarter of the trade (rule 6.3)', () => {
    expect(IMPLAUSIBLE_PRICE_FACTOR).toBe(10);
    const before = { '2019-12-31': 900n };
    expect(reasonsOf('100.00', { ...before, '2020-03-31': 1_000n })).toEqual([]);
    expect(reasonsOf('100.01', { ...before, '2020-03-31': 1_000n })).toEqual(['price_implausible']);
  });

  test('is not one that the quarter before explains, because of a split or a crash between (rule 6.3)', () => {
    expect(reasonsOf('100.01', { '2020-03-31': 1_000n, '2019-12-31': 1_100n })).toEqual([]);
    expect(reasonsOf('110.01', { '2020-03-31': 1_000n, '2019-12-31': 1_100n })).toEqual([
      'price_implausible',
    ]);
  });

  test('is not proven by one of the two prices alone: a reverse split may lie between (rule 6.3)', () => {
    expect(reasonsOf('21.00', { '2019-12-31': 100n })).toEqual([]);
    expect(reasonsOf('21.00', { '2020-03-31': 100n })).toEqual([]);
    expect(reasonsOf('21.00', { '2019-12-31': 100n, '2020-03-31': 2_000n })).toEqual([]);
  });

  test('is proven by one of the two prices above ten times any reverse split (rule 6.3)', () => {
    expect(IMPLAUSIBLE_PRICE_FACTOR_ACROSS_SPLITS).toBe(1_000);
    for (const quarter of ['2019-12-31', '2020-03-31']) {
      expect(reasonsOf('10000.00', { [quarter]: 1_000n })).toEqual([]);
      expect(reasonsOf('10000.01', { [quarter]: 1_000n })).toEqual(['price_implausible']);
    }
  });

  test('is proven by one of the two prices if it is the total of the trade (rule 6.3)', () => {
    const of = (shares: string | null, pricePerShare: string) =>
      priceReasons({ ...IN_MARCH, shares, pricePerShare }, referencesOf(table({ '2019-12-31': 1_000n })), []);
    expect(of('900', '9900')).toEqual(['price_implausible']);
    expect([of('900', '2999'), of('300', '9001')]).toEqual([[], []]);
    expect([of('9', '90'), of(null, '9900'), of('0', '9900')]).toEqual([[], [], []]);
  });

  test('of a trade whose quarter has no reports yet does not decide the stance (rule 6.3)', () => {
    const total = form4({ number: 1, rows: [{ code: 'P', shares: '10000', pricePerShare: '100000.00' }] });
    const sale = form4({ number: 2, owners: [reportingOwner(2)], rows: [{ shares: '50000' }] });
    const issuerPrices = table({ '2019-12-31': 1_000n });
    const leg = insiderLeg(briefInput({ ownershipFilings: [total, sale], issuerPrices }), true);
    expect([leg.stance, leg.netValueCents]).toEqual(['net_selling', -50_000_000n]);
  });

  test('is never reported without a price to compare with, or for a missing price (rule 6.3)', () => {
    expect(reasonsOf('1000000', {})).toEqual([]);
    expect(reasonsOf('1000000', { '2019-09-30': 1n, '2020-06-30': 1n })).toEqual([]);
    expect(reasonsOf(null, { '2020-03-31': 1n })).toEqual([]);
    const unpriced = { ...IN_MARCH, pricePerShare: '0', priced: false };
    expect(priceReasons(unpriced, referencesOf(table({ '2020-03-31': 1n })), [])).toEqual([]);
    const award = { ...IN_MARCH, code: 'A', pricePerShare: '9999' };
    expect(priceReasons(award, referencesOf(table({ '2020-03-31': 1n })), [])).toEqual([]);
  });

  test('counts as a trade and weighs nothing (rule 6.3)', () => {
    const total = form4({ number: 1, rows: [{ code: 'P', pricePerShare: '1000.00' }] });
    const near = form4({ number: 2, owners: [reportingOwner(2)], rows: [{ pricePerShare: '100.00' }] });
    const input = briefInput({
      ownershipFilings: [total, near],
      issuerPrices: table({ '2019-12-31': 1_000n, '2020-03-31': 1_000n }),
    });
    const { counts, stance, trades, netValueCents } = insiderLeg(input, true);
    expect([counts.buys, counts.sells, counts.priced, stance]).toEqual([1, 1, 2, 'net_selling']);
    expect(netValueCents).toBe(-1_000_000n);
    expect(trades.flatMap(({ reasons }) => reasons)).toEqual(['price_implausible']);
    expect(insiderLeg({ ...input, issuerPrices: new Map() }, true).stance).toBe('net_buying');
  });
});

test.each([
  ['2020-01-01', '2020-03-31', '2019-12-31'],
  ['2020-03-31', '2020-03-31', '2019-12-31'],
  ['2020-04-01', '2020-06-30', '2020-03-31'],
  ['2019-12-31', '2019-12-31', '2019-09-30'],
])('%s lies between the prices of its quarter and of the one before (rule 6.3)', (date, end, before) => {
  expect(quartersAround(day(date))).toEqual([end, before]);
});

test('the quarters of a window are those that its days touch, oldest first (rule 6.3)', () => {
  const window = { start: day('2019-09-30'), end: day('2020-02-01') };
  expect(quartersOf(window)).toEqual(['2019-09-30', '2019-12-31', '2020-03-31']);
});

describe('the implied price', () => {
  const filed = (by: number, cents: bigint, reasons: readonly Reason[] = []) =>
    holding(by, stock(1), { amount: 100n, price: cents, reasons });
  const pricesOf = (holdings: readonly SampleHolding[], scales: readonly FilingScale[] = []) => {
    const reports = { prior: [], current: reportsOf('current', holdings), next: [] };
    const verdicts = new Map([[filer(1), { scales }]]);
    return quarterPrices(filedQuartersOf(reports), verdicts).get(stock(1));
  };

  test('needs three filers that agree; one in another scale does not move it (rule 6.3)', () => {
    const three = [filed(1, 1_000n), filed(2, 1_001n), filed(3, 1_002n)];
    expect(pricesOf(three.slice(1))).toBeUndefined();
    expect(pricesOf(three)).toEqual({ valueCents: 100_100n, shares: 100n });
    expect(pricesOf([...three, filed(4, 1_000_000n)])).toEqual({ valueCents: 100_100n, shares: 100n });
    expect(pricesOf([...three.slice(1), filed(4, 1_000n, ['cusip_checksum_failed'])])).toBeUndefined();
  });

  test('is in the scale decided for the filing that it comes from (rule 4.3)', () => {
    const wrong = [...[1, 2, 3].map((by) => filed(by, 2n)), filed(4, 2_000n)];
    const decided = (reason: Reason) =>
      pricesOf(
        wrong,
        [1, 2, 3].map((by) => ({ accession: filingOf(by, 'current'), scaleCents: 1n, reasons: [reason] })),
      );
    expect(decided('value_unit_thousands_after_2023')).toEqual({ valueCents: 200_000n, shares: 100n });
    expect(decided('value_unit_dollars_before_2023')).toEqual({ valueCents: 200n, shares: 100_000n });
    expect(decided('value_unit_unverified')).toEqual({ valueCents: 200n, shares: 100n });
  });

  test('that is remembered is in the scale of the filing that is in the report now, else the same object', () => {
    const others = [4, 5, 6].map((by) => holding(by, stock(2), { amount: 100n }));
    const reports = reportsOf('current', [...[1, 2, 3].map((by) => filed(by, 2n)), ...others]);
    const quarters = filedQuartersOf({ prior: [], current: reports, next: [] });
    const scales = [1, 2, 3].map(
      (by): FilingScale => ({
        ...{
          accession: filingOf(by, 'current'),
          scaleCents: 1n,
          reasons: ['value_unit_thousands_after_2023'],
        },
      }),
    );
    const verdicts = new Map([[filer(1), { scales }]]);
    const remembered = rememberingPrices();
    const first = remembered(quarters, verdicts);
    expect(remembered(quarters, verdicts)).toBe(first);
    for (const { filings, positions, ...report } of reports.slice(0, 3)) {
      const accession = `${report.cik}-24-000099` as Accession;
      quarters.current.put({
        ...report,
        filings: filings.map((filing) => ({ ...filing, accession })),
        positions: positions.map((position) => ({ ...position, accession })),
      });
    }
    const now = remembered(quarters, verdicts);
    expect(now).toEqual(quarterPrices(quarters, verdicts));
    expect([first, now].map((prices) => prices.get(stock(1))?.valueCents)).toEqual([200_000n, 200n]);
    expect(now.get(stock(2))).toBe(first.get(stock(2)));
  });

  test('that is remembered of other columns counts no more', () => {
    const quartersWith = (security: number) =>
      filedQuartersOf({
        prior: [],
        current: reportsOf(
          'current',
          [1, 2, 3].map((by) => holding(by, stock(security), { amount: 100n })),
        ),
        next: [],
      });
    const remembered = rememberingPrices();
    expect([...remembered(quartersWith(1), new Map()).keys()]).toEqual([stock(1)]);
    expect([...remembered(quartersWith(2), new Map()).keys()]).toEqual([stock(2)]);
  });

  test('is that of the highest-priced security of the issuer, and of no other issuer (rule 6.3)', () => {
    const [cheap, dear, other] = [price(20_000n), { valueCents: 30_000_000n, shares: 1n }, price(10n ** 9n)];
    const entries: [Cusip, typeof cheap][] = [
      ['084670702' as Cusip, cheap],
      ['084670108' as Cusip, dear],
      ['037833100' as Cusip, other],
    ];
    const end = '2020-03-31' as QuarterEnd;
    for (const order of [entries, entries.toReversed()]) {
      expect(issuerPrices(['084670'], new Map([[end, new Map(order)]]))).toEqual(new Map([[end, dear]]));
    }
  });
});
