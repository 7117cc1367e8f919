import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Reason } from '../quality/quality.ts';
import { CENTS_PER_DOLLAR, CENTS_PER_THOUSAND } from '../report/scale.ts';
import { middleOf, priceOfOthers, priceWithout, quotesOf } from './peer-price.ts';
import { holding, quartersOf, reportsOf, type SampleHolding, stock } from './peers.sample.ts';
import { decideScale, emptySample, filingPrices, peerOpinion, type ScaleSample } from './scale-vote.ts';
import { medianOf } from './split.ts';

const ACCESSION = '0000000001-24-000001' as never;
const POSSIBLE = { priced: 3, low: 0, high: 0, otherwise: 3 };
const IMPOSSIBLE = { priced: 4, low: 2, high: 0, otherwise: 2 };
const SILENT = { priced: 2, low: 1, high: 0, otherwise: 1 };

type Fields = {
  readonly datedCents?: bigint;
  readonly own?: ScaleSample['own'];
  readonly otherCents?: bigint;
};
/** Rows of a thousand dollars each, this far from the other filers' prices. */
const sampleOf = (
  logs: readonly number[],
  { datedCents = CENTS_PER_DOLLAR, own = POSSIBLE, otherCents = 0n }: Fields = {},
) => ({
  ...emptySample(filingPrices(ACCESSION, datedCents)),
  logs: [...logs],
  thin: logs.map((log) => ({ log, valueCents: 100_000n })),
  totalCents: 100_000n * BigInt(logs.length) + otherCents,
  own,
});
const scaleOf = (...args: Parameters<typeof sampleOf>) => decideScale(sampleOf(...args));
const unverified = (scaleCents = CENTS_PER_DOLLAR) => ({
  accession: ACCESSION,
  scaleCents,
  reasons: ['value_unit_unverified'],
});

describe('the scale by the prices of other filers', () => {
  it('is thousands where dollars were due, when the median row is at a thousandth (rule 4.3)', () => {
    expect(scaleOf([-3.14, -3, 0.2], { own: IMPOSSIBLE })).toEqual({
      accession: ACCESSION,
      scaleCents: CENTS_PER_THOUSAND,
      reasons: ['value_unit_thousands_after_2023'],
    });
  });

  it('is dollars where thousands were due, when the median row is at a thousandfold (rule 4.3)', () => {
    expect(scaleOf([2.86, 3, 3.1], { datedCents: CENTS_PER_THOUSAND, own: IMPOSSIBLE })).toEqual({
      accession: ACCESSION,
      scaleCents: CENTS_PER_DOLLAR,
      reasons: ['value_unit_dollars_before_2023'],
    });
  });

  it('is never one that was never due: thousandths of dollars, or millions (rule 4.3)', () => {
    expect(scaleOf([3, 3, 3], { own: SILENT })).toEqual(unverified());
    expect(scaleOf([-3, -3, -3], { own: SILENT, datedCents: CENTS_PER_THOUSAND })).toEqual(
      unverified(CENTS_PER_THOUSAND),
    );
  });

  it('stays that of the date, unverified, when the other filers contradict both (rule 4.3)', () => {
    for (const off of [0.31, 1, 2, -0.31, -1, -2.84, -3.16]) {
      expect(scaleOf([off, off, off])).toEqual(unverified());
    }
  });

  it('is that of the date, without a reason, when the other filers agree (rule 4.3)', () => {
    expect(scaleOf([-0.29, 0, 0.29])).toBeNull();
  });

  it('is not believed against the prices of the filing itself: a complex would confirm itself (rule 2.2)', () => {
    expect(scaleOf([0, 0, 0], { own: IMPOSSIBLE })).toEqual(unverified());
  });

  // CIBC's report of 2022-09-30 beside two of the next quarter that give thousands after 2023-01-03.
  it('nor where it would make possible prices impossible: filers share a mistake (rule 4.3)', () => {
    const own = { priced: 1_247, low: 12, high: 1, otherwise: 1_239 };
    expect(scaleOf([3, 3, 3.01], { own, datedCents: CENTS_PER_THOUSAND })).toBeNull();
  });

  // Three shares below a dollar, as filed in dollars before 2023: either scale would do for them.
  it('and leaves a doubt where only half of them would be (rule 4.3)', () => {
    const own = { priced: 4, low: 0, high: 1, otherwise: 3 };
    const datedCents = CENTS_PER_THOUSAND;
    expect(scaleOf([3, 3, 3, 3], { own, datedCents })).toEqual(unverified(datedCents));
  });
});

describe('a thin filing', () => {
  it('is decided by two rows that carry four fifths of its value (rule 4.3)', () => {
    const thousands = { scaleCents: CENTS_PER_THOUSAND };
    expect(scaleOf([-3, -3], { own: SILENT, otherCents: 50_000n })).toMatchObject(thousands);
    expect(peerOpinion(sampleOf([-3, -3], { otherCents: 50_001n }))).toBe('silent');
  });

  it('is not decided by two rows that disagree (rule 4.3)', () => {
    expect(peerOpinion(sampleOf([-3, -2.9]))).toBe('thousandth');
    expect(peerOpinion(sampleOf([-3, 0]))).toBe('silent');
  });

  it('of one comparable row is never rescaled (rule 4.3)', () => {
    expect(scaleOf([-3], { own: { ...POSSIBLE, priced: 1, low: 1 } })).toEqual(unverified());
  });
});

describe('a filing whose own prices are impossible', () => {
  const high = { priced: 4, low: 0, high: 3, otherwise: 4 };
  const dated = { datedCents: CENTS_PER_THOUSAND, own: high, otherCents: 900_000n };

  it('needs one row of other filers that says a thousand in the same direction (rule 4.3)', () => {
    const dollars = { scaleCents: CENTS_PER_DOLLAR, reasons: ['value_unit_dollars_before_2023'] };
    expect(scaleOf([3], dated)).toMatchObject(dollars);
    expect(scaleOf([3, 2.9], dated)).toMatchObject(dollars);
    expect(scaleOf([-3], { own: IMPOSSIBLE, otherCents: 900_000n })).toMatchObject({
      scaleCents: CENTS_PER_THOUSAND,
    });
  });

  it('is not rescaled by a row that says otherwise, or by two that disagree (rule 4.3)', () => {
    for (const logs of [[0], [2], [-3], [3, 0], [3, 1]]) {
      expect(scaleOf(logs, dated)).toEqual(unverified(CENTS_PER_THOUSAND));
    }
    expect(scaleOf([3], { ...dated, own: POSSIBLE })?.scaleCents ?? CENTS_PER_THOUSAND).toBe(
      CENTS_PER_THOUSAND,
    );
  });
});

describe('without other filers', () => {
  it('three possible prices of its own confirm the date if a factor of 1,000 makes them impossible (rule 2.2)', () => {
    expect(scaleOf([], { own: POSSIBLE })).toBeNull();
  });

  it('impossible prices or fewer than three leave the scale of the date unverified (rule 2.2)', () => {
    expect(scaleOf([], { own: IMPOSSIBLE })).toEqual(unverified());
    expect(scaleOf([], { own: { ...POSSIBLE, priced: 2 } })).toEqual(unverified());
  });

  it('prices that would be possible in the other scale too confirm nothing (rule 2.2)', () => {
    expect(scaleOf([], { own: { ...POSSIBLE, otherwise: 1 } })).toEqual(unverified());
    expect(scaleOf([0, 0, 0], { own: { ...POSSIBLE, otherwise: 1 } })).toBeNull();
  });

  it('a filing without a priced row has no scale to doubt (rule 4.3)', () => {
    expect(scaleOf([], { own: { ...POSSIBLE, priced: 0 } })).toBeNull();
  });
});

const position = (by: number, price: bigint, fields: Partial<SampleHolding> = {}): SampleHolding =>
  holding(by, stock(1), { amount: 1_000n, price, ...fields });

function quotesIn(holdings: readonly SampleHolding[]) {
  const reports = reportsOf('current', holdings);
  const { current: quarter } = quartersOf({ prior: [], current: reports, next: [] });
  return { quarter, quotes: quotesOf(quarter, 0) };
}

const priced = (holdings: readonly SampleHolding[]) => quotesIn(holdings).quotes.rows.length;

it('no filer confirms its own price: the median is over the others (rule 4.2)', () => {
  const four = quotesIn([position(1, 1_000n), position(2, 2_000n), position(3, 3_000n), position(4, 9_000n)]);
  expect(priceOfOthers(four.quarter, 0, 3)).toBeCloseTo(Math.log10(2_000), 9);
  expect(priceOfOthers(four.quarter, 0, 0)).toBeCloseTo(Math.log10(3_000), 9);
  expect(priceOfOthers(four.quarter, 0)).toBeCloseTo(Math.log10(Math.sqrt(6_000_000)), 9);
});

it('two other filers make no price, three do (rule 4.2)', () => {
  const three = quotesIn([position(1, 1_000n), position(2, 2_000n), position(3, 3_000n)]);
  expect(priceOfOthers(three.quarter, 0, 0)).toBeNaN();
  expect(priceOfOthers(three.quarter, 0, 9)).not.toBeNaN();
});

it('shares that repeat the value, sums of several filings and values of few units are no quote (rule 4.2)', () => {
  expect(priced([position(1, 2_000n)])).toBe(1);
  expect(priced([position(1, 100n)])).toBe(0);
  expect(priced([position(1, 2_000n, { accession: null })])).toBe(0);
  expect(priced([position(1, 1n, { amount: 1_000n })])).toBe(1);
  expect(priced([position(1, 1n, { amount: 900n, valueCents: 900n })])).toBe(0);
});

it.each<Reason>(['cusip_malformed', 'cusip_checksum_failed', 'amount_negative', 'amount_implausible'])(
  'a row with %s is no quote (rule 4.2)',
  (reason) => {
    expect(priced([position(1, 2_000n, { reasons: [reason] })])).toBe(0);
  },
);

it('a reason that the peers concluded does not remove a quote: they never feed on themselves (rule 4.1)', () => {
  expect(priced([position(1, 2_000n, { reasons: ['implied_price_outlier', 'value_unit_unverified'] })])).toBe(
    1,
  );
});

it('the median without one member is that of the list without it', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: -5, max: 5 }), { minLength: 4, maxLength: 12 }),
      fc.nat(),
      (numbers, pick) => {
        const at = pick % numbers.length;
        const middle = middleOf(Float64Array.from(numbers));
        const others = Float64Array.from(numbers.toSpliced(at, 1)).sort();
        expect(priceWithout(middle, numbers[at] as number)).toBe(medianOf(others));
      },
    ),
  );
});
