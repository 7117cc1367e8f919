import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { thirteenFOf } from '../../../test/filings/read.ts';
import type { Cusip, IsoDate } from '../ids.ts';
import { foldReport } from '../report/fold.ts';
import { NAMES_NOBODY } from '../report/other-manager.ts';
import type { FiledReport } from './filed-quarter.ts';
import {
  filer,
  filingOf,
  holding,
  market,
  peersOf,
  quartersOf,
  type SampleHolding,
  stock,
} from './peers.sample.ts';
import { peersOf as peersOfQuarters } from './peers.ts';

/** Values with more zeros, or fewer, than the scale of the filing's date allows. */
const scaled = (holdings: readonly SampleHolding[], { times = 1n, by = 1n }): SampleHolding[] =>
  holdings.map((one) => ({ ...one, valueCents: (one.valueCents * times) / by }));
const inThousands = (holdings: readonly SampleHolding[]) => scaled(holdings, { by: 1_000n });
const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, at) => from + at);

const verdictOf = (by: number, holdings: readonly SampleHolding[], filed?: string) =>
  peersOf(holdings, filed === undefined ? {} : { filed: { current: filed } }).verdicts.get(filer(by));

const PEERS = range(1, 3);
const THOUSANDS = {
  scales: [
    { accession: filingOf(9, 'current'), scaleCents: 100_000n, reasons: ['value_unit_thousands_after_2023'] },
  ],
  outliers: [],
  identicalTo: null,
  moved: [],
};
const UNVERIFIED = { scales: [{ scaleCents: 100n, reasons: ['value_unit_unverified'] }] };

describe('the scale of a filing among others', () => {
  it('a filing still in thousands in 2023 is found by three others that hold the same (rule 4.3)', () => {
    const holdings = [...market(PEERS, 5), ...inThousands(market([9], 5))];
    expect(verdictOf(9, holdings)).toEqual(THOUSANDS);
    expect(peersOf(holdings).verdicts.size).toBe(1);
  });

  it('without other filers it keeps the scale of its date, marked by its own prices (rule 4.3)', () => {
    expect(verdictOf(9, inThousands(market([9], 5)))).toMatchObject(UNVERIFIED);
    expect(verdictOf(9, market([9], 5))).toBeUndefined();
  });

  it('the adjacent quarters price what too few others hold in the quarter itself (rule 4.3)', () => {
    const alone = inThousands(market([9], 5));
    expect(verdictOf(9, [...alone, ...market(PEERS, 5, 'prior')])).toEqual(THOUSANDS);
    expect(verdictOf(9, [...alone, ...market(PEERS, 5, 'next')])).toEqual(THOUSANDS);
    // Its own quote of those quarters, in the same wrong scale, confirms nothing.
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

  it('rows summed from several filings never rescale; they confirm the scale or leave it marked (rule 4.3)', () => {
    const summed = market([9], 3).map((one) => ({ ...one, accession: null }));
    expect(verdictOf(9, [...market(PEERS, 5), ...summed])).toBeUndefined();
    expect(verdictOf(9, [...market(PEERS, 5), ...inThousands(summed)])).toMatchObject(UNVERIFIED);
    expect(verdictOf(9, [...market(PEERS, 5), ...inThousands(summed.slice(1))])).toMatchObject(UNVERIFIED);
    // Rows of its own decide.
    const own = market([9], 8).slice(3);
    expect(verdictOf(9, [...market(PEERS, 8), ...inThousands(summed), ...own])).toBeUndefined();
  });

  it('rows whose shares repeat their value are left out of the comparison (rule 4.2)', () => {
    const repeated = market([9], 5).map((one) => ({ ...one, valueCents: one.amount * 100n }));
    const ok = market([9], 8).slice(5);
    expect(verdictOf(9, [...market(PEERS, 8), ...repeated, ...ok])).toBeUndefined();
  });

  it('a row with a mistyped CUSIP still counts among own prices (rules 3.1 and 4.3)', () => {
    const mistyped = market([9], 4).map((one) => ({ ...one, reasons: ['cusip_checksum_failed' as const] }));
    expect(verdictOf(9, mistyped)).toBeUndefined();
    expect(verdictOf(9, inThousands(mistyped))).toMatchObject(UNVERIFIED);
  });

  it('an amendment of 2023 for an older quarter is judged by the scale of its own date (rule 2.1)', () => {
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

  it('is not judged in a filing whose scale is unknown (rule 4.4)', () => {
    expect(verdictOf(9, [...others, slip])?.outliers ?? []).toEqual([]);
  });

  it('is judged by the price of the same day, not by that of another quarter (rule 4.4)', () => {
    const before = others.map((one) => ({ ...one, side: 'prior' as const }));
    expect(verdictOf(9, [...market([...PEERS, 9], 5), ...before, slip])).toBeUndefined();
  });
});

const IN_THOUSANDS = [{ scaleCents: 100_000n, reasons: ['value_unit_thousands_after_2023'] }];
const IN_DOLLARS = [{ scaleCents: 100n, reasons: ['value_unit_dollars_before_2023'] }];

describe('a row of a filing whose scale is corrected', () => {
  const own = market([9], 12);
  const peers = market(PEERS, 12);

  it('left in dollars among eleven in thousands is an outlier (rule 4.4)', () => {
    const rows = [...inThousands(own.slice(1)), ...own.slice(0, 1)];
    const verdict = peersOf([...peers, ...rows]).verdicts.get(filer(9));
    expect(verdict).toMatchObject({ scales: IN_THOUSANDS, outliers: [stock(1)] });
    expect(peersOf([...peers, ...inThousands(own)]).verdicts.get(filer(9))?.outliers).toEqual([]);
  });

  it('left in thousands among eleven in dollars is an outlier before 2023 (rule 4.4)', () => {
    const rows = [...scaled(own.slice(1), { times: 1_000n }), ...own.slice(0, 1)];
    const { verdicts } = peersOf([...peers, ...rows], { filed: { current: '2013-05-15' } });
    expect(verdicts.get(filer(9))).toMatchObject({ scales: IN_DOLLARS, outliers: [stock(1)] });
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
      expect(verdict).toMatchObject({ scales: IN_THOUSANDS, outliers: [] });
    }
  });

  it('do not unsettle the scale of as many filers that are right (rule 4.3)', () => {
    const { verdicts } = peersOf([...inThousands(market(PEERS, 5)), ...market(range(11, 13), 5)]);
    expect([...verdicts.keys()]).toEqual(PEERS.map(filer));
    for (const verdict of verdicts.values()) expect(verdict).toMatchObject({ scales: IN_THOUSANDS });
  });

  it('are corrected by three others even as a majority, because their own prices are impossible (rule 4.3)', () => {
    const many = range(1, 5);
    const { verdicts } = peersOf([...inThousands(market(many, 5)), ...market(range(11, 13), 5)]);
    expect([...verdicts.keys()]).toEqual(many.map(filer));
    for (const verdict of verdicts.values()) expect(verdict).toMatchObject({ scales: IN_THOUSANDS });
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

const bullStreet = thirteenFOf('13f/0001790837-23-000002.txt');
const filed = foldReport([bullStreet]);
/** Closing prices of 2022-12-30 in cents. */
const CLOSES: readonly (readonly [Cusip, bigint])[] = [
  ['037833100' as Cusip, 12_993n],
  ['191216100' as Cusip, 6_361n],
  ['478160104' as Cusip, 17_665n],
  ['594918104' as Cusip, 23_982n],
  ['437076102' as Cusip, 31_586n],
];

const reportOf = (
  cik: FiledReport['cik'],
  accession: string,
  positions: FiledReport['positions'],
): FiledReport => ({
  cik,
  filings: [{ accession: accession as never, filedDate: '2023-02-14' as IsoDate }],
  isComparable: true,
  named: NAMES_NOBODY,
  positions,
});

/** The verdict on Bull Street, with this many synthetic managers that hold five of its stocks at the close. */
function verdictAmong(peers: number) {
  const { cik, header } = bullStreet;
  const held = (filed?.positions ?? []).filter((one) => one.amountType === 'SH' && one.putCall === null);
  const own = held.map((position) => ({ ...position, accession: header.accession }));
  const others = Array.from({ length: peers }, (_, at) => at + 1).map((by) => {
    const accession = filingOf(by, 'current');
    const amount = BigInt(by) * 1_000n;
    const theirs = CLOSES.flatMap(([cusip, close]) =>
      own
        .filter((one) => one.cusip === cusip)
        .map((one) => ({ ...one, accession, amount, valueCents: amount * close })),
    );
    return reportOf(filer(by), accession, theirs);
  });
  const current = [reportOf(cik, header.accession, own), ...others];
  return peersOfQuarters(quartersOf({ prior: [], current, next: [] })).verdicts.get(cik);
}

describe('Bull Street at 2022-12-31, filed in 2023 and still in thousands', () => {
  it('is found where three others hold some of its stocks (rule 4.3)', () => {
    const scales = verdictAmong(3)?.scales;
    expect(scales).toEqual([
      {
        accession: '0001790837-23-000002',
        scaleCents: 100_000n,
        reasons: ['value_unit_thousands_after_2023'],
      },
    ]);
    const decided = new Map(scales?.map((scale) => [scale.accession, scale]));
    const corrected = foldReport([bullStreet], { scales: decided });
    const total = (report: typeof filed) =>
      report?.positions.reduce((sum, { valueCents }) => sum + valueCents, 0n);
    expect(total(corrected)).toBe((total(filed) ?? 0n) * 1_000n);
    expect(corrected?.positions.map(({ amount }) => amount)).toEqual(
      filed?.positions.map(({ amount }) => amount),
    );
  });

  it('keeps the scale of its date, marked, where no other filer prices its rows (rule 4.3)', () => {
    for (const peers of [0, 2]) {
      expect(verdictAmong(peers)?.scales).toMatchObject([
        { scaleCents: 100n, reasons: ['value_unit_unverified'] },
      ]);
    }
  });
});
