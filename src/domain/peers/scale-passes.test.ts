import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { filer, holding, market, peersOf, type SampleHolding, stock } from './peers.sample.ts';

/** What holds more zeros, or fewer, than the unit of the filing's date makes right. */
const scaled = (holdings: readonly SampleHolding[], { times = 1n, by = 1n }): SampleHolding[] =>
  holdings.map((one) => ({ ...one, valueCents: (one.valueCents * times) / by }));
const inThousands = (holdings: readonly SampleHolding[]) => scaled(holdings, { by: 1_000n });
const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, at) => from + at);

const PEERS = range(1, 3);
const THOUSANDS = [{ scaleCents: 100_000n, reasons: ['value_unit_thousands_after_2023'] }];
const DOLLARS = [{ scaleCents: 100n, reasons: ['value_unit_dollars_before_2023'] }];

describe('a row of a filing whose unit is corrected', () => {
  const own = market([9], 12);
  const peers = market(PEERS, 12);

  it('left in dollars among eleven in thousands is an outlier (rule 4.4)', () => {
    const rows = [...inThousands(own.slice(1)), ...own.slice(0, 1)];
    const verdict = peersOf([...peers, ...rows]).verdicts.get(filer(9));
    expect(verdict).toMatchObject({ scales: THOUSANDS, outliers: [stock(1)] });
    expect(peersOf([...peers, ...inThousands(own)]).verdicts.get(filer(9))?.outliers).toEqual([]);
  });

  it('left in thousands among eleven in dollars is an outlier before 2023 (rule 4.4)', () => {
    const rows = [...scaled(own.slice(1), { times: 1_000n }), ...own.slice(0, 1)];
    const { verdicts } = peersOf([...peers, ...rows], { filed: { current: '2013-05-15' } });
    expect(verdicts.get(filer(9))).toMatchObject({ scales: DOLLARS, outliers: [stock(1)] });
    expect(verdicts.size).toBe(1);
  });
});

describe('filers that share a mistake', () => {
  const micro = (by: number) => holding(by, stock(90), { price: 700n });

  it('do not make an outlier of the filer that is right, nor of their own rows, when others correct them (rule 4.4)', () => {
    const wrong = inThousands([...market(PEERS, 6), ...PEERS.map(micro)]);
    const others = market([9, ...range(11, 15)], 6);
    const { verdicts } = peersOf([...wrong, ...others, micro(9)]);
    expect([...verdicts.keys()]).toEqual(PEERS.map(filer));
    for (const verdict of verdicts.values()) {
      expect(verdict).toMatchObject({ scales: THOUSANDS, outliers: [] });
    }
  });

  it('do not unsettle the scale of as many filers that are right (rule 4.3)', () => {
    const { verdicts } = peersOf([...inThousands(market(PEERS, 5)), ...market(range(11, 13), 5)]);
    expect([...verdicts.keys()]).toEqual(PEERS.map(filer));
    for (const verdict of verdicts.values()) expect(verdict).toMatchObject({ scales: THOUSANDS });
  });

  it('are corrected by three others even as a majority, since their own prices cannot be (rule 4.3)', () => {
    const many = range(1, 5);
    const { verdicts } = peersOf([...inThousands(market(many, 5)), ...market(range(11, 13), 5)]);
    expect([...verdicts.keys()]).toEqual(many.map(filer));
    for (const verdict of verdicts.values()) expect(verdict).toMatchObject({ scales: THOUSANDS });
  });

  it('are judged alike in whatever order their positions come (rule 4.3)', () => {
    const holdings = [
      ...inThousands([...market(range(1, 4), 6), ...PEERS.map(micro)]),
      ...market([9, ...range(11, 15)], 6),
      holding(9, stock(90), { price: 70_000n }),
    ];
    const expected = [...peersOf(holdings).verdicts];
    expect(expected).toHaveLength(5);
    fc.assert(
      fc.property(fc.shuffledSubarray(holdings, { minLength: holdings.length }), (shuffled) => {
        expect([...peersOf(shuffled).verdicts]).toEqual(expected);
      }),
    );
  });
});
