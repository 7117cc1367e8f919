import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { sampleFiling, sampleRow } from '../filing/filing.sample.ts';
import type { IsoDate, QuarterEnd } from '../ids.ts';
import type { Reason } from '../quality/quality.ts';
import { foldReport } from './fold.ts';
import {
  CENTS_PER_DOLLAR,
  CENTS_PER_THOUSAND,
  filingAsReported,
  judgeOwnPrices,
  noPrices,
  scaleByFiledDate,
  tallyPrice,
  valueScaleCents,
} from './scale.ts';

const priced = (...cents: bigint[]) => cents.map((value) => sampleRow({ amount: 1000n, value }));

describe('the scale of values', () => {
  it('changes from thousands to dollars for filings from 2023-01-03, for any period', () => {
    expect(valueScaleCents('2023-01-02' as IsoDate)).toBe(100_000n);
    expect(valueScaleCents('2023-01-03' as IsoDate)).toBe(100n);
    const quarterEnd = '2019-12-31' as QuarterEnd;
    const rows = [sampleRow({ value: 5n })];
    const filing = sampleFiling({ quarterEnd, filedDate: '2023-02-01', rows });
    expect(foldReport([filing])?.positions[0]?.valueCents).toBe(500n);
  });

  it('is in doubt when most implied prices of the filing contradict it, and is never changed', () => {
    const thousandsAfterSwitch = sampleFiling({ filedDate: '2023-02-14', rows: priced(150n, 90n, 40n) });
    expect(scaleByFiledDate(thousandsAfterSwitch)).toEqual({
      scaleCents: 100n,
      reasons: ['value_unit_unverified'],
    });
    const dollarsBeforeSwitch = sampleFiling({
      filedDate: '2022-11-14',
      rows: priced(90_000n, 40_000n, 20_000n),
    });
    expect(scaleByFiledDate(dollarsBeforeSwitch).reasons).toEqual(['value_unit_unverified']);
  });

  it('is not in doubt for few rows, options or ordinary prices', () => {
    const filedDate = '2023-02-14';
    expect(scaleByFiledDate(sampleFiling({ filedDate, rows: priced(150n, 90n) })).reasons).toEqual([]);
    const options = priced(1n, 1n, 1n).map((row) => ({ ...row, putCall: 'PUT' as const }));
    expect(scaleByFiledDate(sampleFiling({ filedDate, rows: options })).reasons).toEqual([]);
    const ordinary = sampleFiling({ filedDate, rows: priced(150_000n, 90_000n, 40_000n) });
    expect(scaleByFiledDate(ordinary).reasons).toEqual([]);
  });

  it('can be set for each filing, and never changes shares', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(100n, 100_000n),
        fc.bigInt({ min: 1n, max: 10n ** 12n }),
        (scaleCents, amount) => {
          const filing = sampleFiling({ rows: [sampleRow({ amount, value: 7n })] });
          const scales = new Map([[filing.header.accession, { scaleCents, reasons: [] }]]);
          const position = foldReport([filing], { scales })?.positions[0];
          expect(position?.amount).toBe(amount);
          expect(position?.valueCents).toBe(7n * scaleCents);
        },
      ),
    );
  });
});

describe("a filing's own prices", () => {
  const judged = (datedCents: bigint, ...cents: bigint[]) => {
    const tally = noPrices();
    for (const price of cents) tallyPrice(tally, { amount: 10n, valueCents: price * 10n }, datedCents);
    return judgeOwnPrices(tally);
  };

  it('do not confirm a scale when the other scale gives possible prices too: 8 dollars, or 1,300 in thousands (rule 2.2)', () => {
    expect(judged(CENTS_PER_THOUSAND, ...Array(5).fill(800_000n))).toBe('silent');
    expect(judged(CENTS_PER_DOLLAR, ...Array(5).fill(130n))).toBe('silent');
  });

  it('confirm it when they are few and every one is impossible at the other scale (rule 2.2)', () => {
    // A share of 208 dollars is none of 208,000; one of 169 dollars is none of 17 cents.
    expect(judged(CENTS_PER_DOLLAR, 20_800n)).toBe('confirmed');
    expect(judged(CENTS_PER_THOUSAND, 16_936n)).toBe('confirmed');
    expect(judged(CENTS_PER_DOLLAR, 20_800n, 130n)).toBe('silent');
    expect(judged(CENTS_PER_DOLLAR, 15n)).toBe('silent');
    expect(judged(CENTS_PER_DOLLAR)).toBe('silent');
  });

  it('confirm the scale when most of them are ordinary: 10 to 1,000 dollars (rule 2.2)', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(CENTS_PER_DOLLAR, CENTS_PER_THOUSAND),
        fc.array(fc.bigInt({ min: 1_001n, max: 99_999n }), { minLength: 2, maxLength: 9 }),
        fc.bigInt({ min: 100n, max: 1_000_000n }),
        (datedCents, ordinary, any) => {
          expect(judged(datedCents, ...ordinary, any)).toBe('confirmed');
        },
      ),
    );
  });
});

const NOW = '2023-11-14' as IsoDate;
const THEN = '2022-11-14' as IsoDate;

const of = (reasons: Reason[], scaleCents: bigint, role: 'base' | 'superseded' = 'base') => ({
  filing: { scaleCents, role },
  report: { reasons },
});

test('a filing has the scale that its report applied, with the reason (rule 4.3)', () => {
  const alone = { filedDate: NOW, valueCents: 5_000n, reasons: ['value_unit_unverified'] as const };
  expect(filingAsReported(alone, of(['value_unit_thousands_after_2023'], 100_000n))).toEqual({
    valueCents: 5_000_000n,
    reasons: ['value_unit_thousands_after_2023'],
  });
  const early = { filedDate: THEN, valueCents: 5_000_000n, reasons: ['text_table'] as const };
  expect(filingAsReported(early, of(['value_unit_dollars_before_2023'], 100n))).toEqual({
    valueCents: 5_000n,
    reasons: ['text_table', 'value_unit_dollars_before_2023'],
  });
});

test('a doubt about the scale comes from the report, not from the filing alone (rule 4.3)', () => {
  const alone = { filedDate: NOW, valueCents: 5_000n, reasons: ['value_unit_unverified'] as const };
  expect(filingAsReported(alone, of([], 100n))).toEqual({ valueCents: 5_000n, reasons: [] });
  expect(filingAsReported({ ...alone, reasons: [] }, of(['value_unit_unverified'], 100n)).reasons).toEqual([
    'value_unit_unverified',
  ]);
});

test('a doubt about the scale of a supplement is its own, for any base (rule 2.10)', () => {
  const alone = { filedDate: NOW, valueCents: 5_000n, reasons: [] };
  const added = (scaleReasons: Reason[], reasons: Reason[]) =>
    filingAsReported(alone, {
      filing: { scaleCents: 100n, role: 'supplement', ...(scaleReasons.length > 0 && { scaleReasons }) },
      report: { reasons },
    }).reasons;
  expect(added(['value_unit_unverified'], [])).toEqual(['value_unit_unverified']);
  expect(added([], ['value_unit_unverified'])).toEqual([]);
});

test('an addition to a report is not called one without a base; without a base it is (rule 2.8)', () => {
  const alone = { filedDate: NOW, valueCents: 5_000n, reasons: ['supplement_without_base'] as const };
  expect(filingAsReported(alone, of([], 100n)).reasons).toEqual([]);
  for (const inReport of [null, of(['supplement_without_base'], 100n)])
    expect(filingAsReported(alone, inReport).reasons).toEqual(['supplement_without_base']);
});

test('a filing that contributes nothing to its report keeps the scale of its date', () => {
  const alone = { filedDate: NOW, valueCents: 5_000n, reasons: ['value_unit_unverified'] as const };
  expect(filingAsReported(alone, of([], 100n, 'superseded'))).toEqual({
    valueCents: 5_000n,
    reasons: ['value_unit_unverified'],
  });
});

test('a filing that is not believed shows it, not only the report (rule 2.9)', () => {
  const alone = { filedDate: NOW, valueCents: 5_000n, reasons: [] };
  const filing = { scaleCents: 100n, role: 'ignored', doubt: 'partial_restatement_suspected' } as const;
  expect(filingAsReported(alone, { filing, report: { reasons: [] } }).reasons).toEqual([filing.doubt]);
});
