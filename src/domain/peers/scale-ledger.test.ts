import { describe, expect, it } from 'vitest';
import { filer, filingOf, holding, market, peersOf, type SampleHolding, stock } from './peers.sample.ts';

const inThousands = (holdings: readonly SampleHolding[]): SampleHolding[] =>
  holdings.map((one) => ({ ...one, valueCents: one.valueCents / 1_000n }));
const verdictOf = (by: number, holdings: readonly SampleHolding[], filed?: string) =>
  peersOf(holdings, filed === undefined ? {} : { filed: { current: filed } }).verdicts.get(filer(by));

const PEERS = [1, 2, 3];
const THOUSANDS = {
  scales: [
    { accession: filingOf(9, 'current'), scaleCents: 100_000n, reasons: ['value_unit_thousands_after_2023'] },
  ],
  outliers: [],
  identicalTo: null,
  predecessor: null,
};
const UNVERIFIED = { scales: [{ scaleCents: 100n, reasons: ['value_unit_unverified'] }] };

describe('the unit of a filing among others', () => {
  it('a filing still in thousands in 2023 is found by three others that hold the same (rule 4.3)', () => {
    const holdings = [...market(PEERS, 5), ...inThousands(market([9], 5))];
    expect(verdictOf(9, holdings)).toEqual(THOUSANDS);
    expect(peersOf(holdings).verdicts.size).toBe(1);
  });

  it('without others it is marked by its own prices and keeps the unit of its date (rule 4.3)', () => {
    expect(verdictOf(9, inThousands(market([9], 5)))).toMatchObject(UNVERIFIED);
    expect(verdictOf(9, market([9], 5))).toBeUndefined();
  });

  it('the adjacent quarters price what too few others hold in the quarter itself (rule 4.3)', () => {
    const alone = inThousands(market([9], 5));
    expect(verdictOf(9, [...alone, ...market(PEERS, 5, 'prior')])).toEqual(THOUSANDS);
    expect(verdictOf(9, [...alone, ...market(PEERS, 5, 'next')])).toEqual(THOUSANDS);
    // Its own quote of those quarters, in the same wrong unit, confirms nothing.
    const own = inThousands(market([9], 5, 'prior'));
    expect(verdictOf(9, [...alone, ...own, ...market([1, 2], 5, 'prior')])).toMatchObject(UNVERIFIED);
  });

  it('two rows below a dollar stay in dollars, confirmed by others or marked, as with MFN Partners (rule 2.2)', () => {
    const two = (by: number) => [1, 2].map((n) => holding(by, stock(n), { price: 70n, amount: 5_000_000n }));
    expect(verdictOf(9, two(9))).toMatchObject(UNVERIFIED);
    expect(verdictOf(9, [...two(9), ...PEERS.flatMap(two)])).toBeUndefined();
  });

  it('four of one complex in thousands do not confirm each other (rule 4.3)', () => {
    const complex = [6, 7, 8, 9];
    const { verdicts } = peersOf(inThousands(market(complex, 5)));
    expect([...verdicts.keys()]).toEqual(complex.map(filer));
    for (const verdict of verdicts.values()) expect(verdict).toMatchObject(UNVERIFIED);
  });

  it('rows summed from several filings are no evidence that rescales, and confirm the unit or leave it marked (rule 4.3)', () => {
    const summed = market([9], 3).map((one) => ({ ...one, accession: null }));
    expect(verdictOf(9, [...market(PEERS, 5), ...summed])).toBeUndefined();
    expect(verdictOf(9, [...market(PEERS, 5), ...inThousands(summed)])).toMatchObject(UNVERIFIED);
    expect(verdictOf(9, [...market(PEERS, 5), ...summed.slice(1)])).toMatchObject(UNVERIFIED);
    // Rows of its own tell more.
    const own = market([9], 8).slice(3);
    expect(verdictOf(9, [...market(PEERS, 8), ...inThousands(summed), ...own])).toBeUndefined();
  });

  it('rows whose shares repeat their value are left out of the comparison (rule 4.2)', () => {
    const repeated = market([9], 5).map((one) => ({ ...one, valueCents: one.amount * 100n }));
    const ok = market([9], 8).slice(5);
    expect(verdictOf(9, [...market(PEERS, 8), ...repeated, ...ok])).toBeUndefined();
  });

  it('a mistyped CUSIP takes nothing from the prices of the filing itself (rules 3.1 and 4.3)', () => {
    const mistyped = market([9], 4).map((one) => ({ ...one, reasons: ['cusip_checksum_failed' as const] }));
    expect(verdictOf(9, mistyped)).toBeUndefined();
    expect(verdictOf(9, inThousands(mistyped))).toMatchObject(UNVERIFIED);
  });

  it('an amendment of 2023 for an older quarter is judged by the unit of its own date (rule 2.1)', () => {
    const old = market(PEERS, 5);
    expect(verdictOf(9, [...old, ...market([9], 5)], '2013-05-15')).toBeUndefined();
    const dollars = market([9], 5).map((one) => ({ ...one, valueCents: one.valueCents * 1_000n }));
    expect(verdictOf(9, [...old, ...dollars], '2013-05-15')?.scales).toEqual([
      { accession: filingOf(9, 'current'), scaleCents: 100n, reasons: ['value_unit_dollars_before_2023'] },
    ]);
  });
});

describe('a slip in a single row', () => {
  const slip = holding(9, stock(6), { price: 25_000n });
  const others = PEERS.map((by) => holding(by, stock(6), { price: 2_000n }));

  it('ten times the price of three others in a filing that otherwise agrees is an outlier (rule 4.4)', () => {
    const holdings = [...market([...PEERS, 9], 5), ...others];
    expect(verdictOf(9, [...holdings, slip])?.outliers).toEqual([stock(6)]);
    expect(verdictOf(9, [...holdings, holding(9, stock(6), { price: 19_000n })])).toBeUndefined();
    expect(verdictOf(9, [...holdings, holding(9, stock(6), { price: 190n })])?.outliers).toEqual([stock(6)]);
  });

  it('is none in a filing whose unit is unknown (rule 4.4)', () => {
    expect(verdictOf(9, [...others, slip])?.outliers).toEqual([]);
  });

  it('is judged by the price of the same day, not by that of another quarter (rule 4.4)', () => {
    const before = others.map((one) => ({ ...one, side: 'prior' as const }));
    expect(verdictOf(9, [...market([...PEERS, 9], 5), ...before, slip])).toBeUndefined();
  });
});
