import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { corpusBytes, folded } from '../../../test/filed-positions.ts';
import { thirteenFOf } from '../../../test/filings/read.ts';
import { runs } from '../../../test/runs.ts';
import { APPLE, GOOGL, SPY, sampleRow } from '../filing/filing.sample.ts';
import type { InfoTableRow } from '../filing/filing.ts';
import type { Cusip, QuarterEnd } from '../ids.ts';
import { changeQualityOf } from '../quality/quality.ts';
import { compareKeys, keyText } from '../report/aggregate.ts';
import type { EffectiveReport } from '../report/report.ts';
import { diffReports } from './diff.ts';
import { BEFORE, diffOf, NOW, sampleReport, summaryOf } from './report.sample.ts';

const MSFT = '594918104' as Cusip;
const RUNS = { numRuns: runs(2_500) };

const rowsArbitrary = fc.array(
  fc
    .record({
      cusip: fc.constantFrom(APPLE, GOOGL, SPY),
      putCall: fc.constantFrom(null, 'PUT' as const, 'CALL' as const),
      amountType: fc.constantFrom('SH' as const, 'PRN' as const),
      amount: fc.bigInt({ min: 1n, max: 10n ** 12n }),
      value: fc.bigInt({ min: 0n, max: 10n ** 12n }),
    })
    // Values that repeat the share counts would make the report incomparable.
    .map((fields) => sampleRow(fields.value === fields.amount ? { ...fields, value: 0n } : fields)),
  { maxLength: 15 },
);

describe('properties of the diff', () => {
  it('applied to the prior report gives the current one', { tags: ['property'] }, () => {
    fc.assert(
      fc.property(rowsArbitrary, rowsArbitrary, (now, before) => {
        const { changes, report: current } = diffOf(now, before);
        const prior = new Map(
          sampleReport(BEFORE, { rows: before }).positions.map((one) => [keyText(one), one.amount]),
        );
        for (const one of changes) prior.set(keyText(one), (prior.get(keyText(one)) ?? 0n) + one.amountDelta);
        const left = [...prior].filter(([, amount]) => amount !== 0n).sort();
        expect(left).toEqual(current.positions.map((one) => [keyText(one), one.amount]).sort());
      }),
      RUNS,
    );
  });

  it('NEW, EXITED and the rest partition the union of keys, in key order', { tags: ['property'] }, () => {
    fc.assert(
      fc.property(rowsArbitrary, rowsArbitrary, (now, before) => {
        const { changes } = diffOf(now, before);
        const inNow = new Set(sampleReport(NOW, { rows: now }).positions.map(keyText));
        const inBefore = new Set(sampleReport(BEFORE, { rows: before }).positions.map(keyText));
        expect(changes).toHaveLength(new Set([...inNow, ...inBefore]).size);
        for (const [index, one] of changes.entries()) {
          expect(one.change === 'NEW').toBe(!inBefore.has(keyText(one)));
          expect(one.change === 'EXITED').toBe(!inNow.has(keyText(one)));
          const next = changes[index + 1];
          expect(next === undefined || compareKeys(one, next) < 0).toBe(true);
        }
      }),
      RUNS,
    );
  });

  it('the deltas sum to the difference of the totals', { tags: ['property'] }, () => {
    const total = (list: readonly { amount: bigint }[]) => list.reduce((sum, one) => sum + one.amount, 0n);
    fc.assert(
      fc.property(rowsArbitrary, rowsArbitrary, (now, before) => {
        const deltas = diffOf(now, before).changes.reduce((sum, one) => sum + one.amountDelta, 0n);
        expect(deltas).toBe(total(now) - total(before));
      }),
      RUNS,
    );
  });

  it('a report against itself is all HELD', { tags: ['property'] }, () => {
    fc.assert(
      fc.property(rowsArbitrary, (rows) =>
        diffOf(rows, rows).changes.every(
          (one) =>
            one.change === 'HELD' &&
            one.amountDelta === 0n &&
            one.pctDelta === 0 &&
            // Random values are not prices; that does not change the share counts.
            one.reasons.every((reason) => reason === 'value_unit_unverified'),
        ),
      ),
      RUNS,
    );
  });
});

describe('changes', () => {
  it('of each kind carry amounts, both values, percentages and the filings that prove them', () => {
    const now = [sampleRow({ amount: 30_001n }), sampleRow({ cusip: SPY, amount: 20_000n })];
    const before = [sampleRow({ amount: 30_000n }), sampleRow({ cusip: GOOGL, amount: 21_000n })];
    const { changes, comparable, priorQuarterEnd } = diffOf(now, before);
    expect([comparable, priorQuarterEnd]).toEqual([true, BEFORE]);
    expect(changes.map(summaryOf)).toEqual([
      [GOOGL, 'EXITED', -21_000n, -100, []],
      [APPLE, 'ADDED', 1n, 0.0033, []],
      [SPY, 'NEW', 20_000n, 100, []],
    ]);
    expect(changes[0]).toMatchObject({ amount: 0n, valueCents: 0n, priorValueCents: 200_000_000n });
    for (const one of changes) {
      expect(one.accessions).toEqual(['0000000001-24-000020']);
      expect(one.priorAccessions).toEqual(['0000000001-24-000010']);
    }
  });

  it('of an option do not concern its underlying shares (rule 2.5)', () => {
    const { changes } = diffOf([sampleRow({ putCall: 'PUT' })], [sampleRow()]);
    expect(changes.map(({ putCall, change }) => [putCall, change])).toEqual([
      [null, 'EXITED'],
      ['PUT', 'NEW'],
    ]);
  });

  it('are HELD at any value when the amount is equal (rule 5.2)', () => {
    expect(diffOf([sampleRow({ value: 1n })], [sampleRow()]).changes[0]?.change).toBe('HELD');
  });

  it('that look like a split are suspected and not restated (rule 4.7)', () => {
    const { changes } = diffOf([sampleRow({ amount: 81_036n })], [sampleRow({ amount: 20_259n })]);
    expect(changes.map(summaryOf)).toEqual([[APPLE, 'ADDED', 60_777n, 300, ['split_suspected']]]);
  });

  it('keep the reasons of rows on either side', () => {
    const marked = sampleRow({ amount: 30_000n, reasons: ['cusip_checksum_failed'] });
    expect(diffOf([marked], []).changes[0]?.reasons).toEqual(['cusip_checksum_failed']);
    expect(diffOf([], [marked]).changes[0]?.reasons).toEqual(['cusip_checksum_failed']);
    expect(diffOf([sampleRow({ amount: 31_000n })], [marked]).changes[0]?.reasons).toEqual([
      'cusip_checksum_failed',
    ]);
  });
});

describe('a prior report with a scale in doubt', () => {
  const others = [SPY, GOOGL].map((cusip) => sampleRow({ cusip, amount: 1_000_000n, value: 200_000n }));
  const before = [sampleRow({ amount: 1_000_003n, value: 200_000n }), ...others];
  const now = [
    sampleRow({ amount: 2_000_006n, value: 202_000_000n }),
    sampleRow({ cusip: SPY, amount: 1_500_000n, value: 300_000_000n }),
    sampleRow({ cusip: MSFT, amount: 1_100_000n, value: 400_000_000n }),
  ];
  const { changes, reasons, comparable } = diffOf(now, before);
  const reasonsOf = (cusip: string) => changes.find((one) => one.cusip === cusip)?.reasons;

  it('is marked on changes with its values, not on new rows or the new report (rule 2.10)', () => {
    expect([comparable, reasons]).toEqual([true, []]);
    expect(reasonsOf(SPY)).toEqual(['value_unit_unverified']);
    expect(reasonsOf(GOOGL)).toEqual(['value_unit_unverified']);
    expect(reasonsOf(MSFT)).toEqual([]);
  });

  it('does not hide a split behind a price that is off by a factor of a thousand (rule 4.7)', () => {
    expect(reasonsOf(APPLE)).toEqual(['split_suspected', 'value_unit_unverified']);
  });

  it('does not report a missed split for a holder of a split that the others confirmed (rule 5.3)', () => {
    const factor = { numerator: 2n, denominator: 1n };
    const split = { kind: 'split', cusip: APPLE, factor, votes: 9, compared: 9, unchanged: 0 } as const;
    const restated = diffOf(now, before, split).changes.find(({ cusip }) => cusip === APPLE);
    expect(restated).toMatchObject({ change: 'HELD' });
    expect(restated?.reasons).toEqual(['split_adjusted', 'value_unit_unverified']);
  });
});

describe('initiations and exits too small to prove anything', () => {
  const tiny = (fields: Partial<InfoTableRow>) => sampleRow({ amount: 9_999n, value: 199_999n, ...fields });
  const reasonsOf = (fields: Partial<InfoTableRow>) => [
    diffOf([tiny(fields)], []).changes[0]?.reasons,
    diffOf([], [tiny(fields)]).changes[0]?.reasons,
  ];

  it('are below both 10,000 shares and $200,000 (rule 5.5)', () => {
    const marked = ['below_reporting_threshold'];
    expect(reasonsOf({})).toEqual([marked, marked]);
    expect(reasonsOf({ amount: 10_000n })).toEqual([[], []]);
    expect(reasonsOf({ value: 200_000n })).toEqual([[], []]);
  });

  it('are equity only, and never positions held on both sides', () => {
    expect(reasonsOf({ putCall: 'CALL' })).toEqual([[], []]);
    expect(reasonsOf({ amountType: 'PRN' })).toEqual([[], []]);
    expect(diffOf([tiny({})], [tiny({ amount: 6_000n })]).changes[0]?.reasons).toEqual([]);
  });
});

const rows = [sampleRow(), sampleRow({ cusip: GOOGL })];

function reasonsIn(now: EffectiveReport, prior: EffectiveReport) {
  return diffReports(now, prior).changes.map(({ change, reasons }) => [change, reasons]);
}

test('an initiation after a report that omits confidential positions has the reason and stays clear (rule 2.13)', () => {
  const now = sampleReport(NOW, { rows: [...rows, sampleRow({ cusip: SPY, amount: 50_000n })] });
  const omitting = { confidentialOmitted: true, rows };
  const held = [
    ['HELD', []],
    ['HELD', []],
  ];
  const expected = reasonsIn(now, sampleReport(BEFORE, omitting));
  expect(expected).toEqual(expect.arrayContaining([...held, ['NEW', ['prior_confidential_omitted']]]));
  expect(changeQualityOf(['prior_confidential_omitted']).status).toBe('clear');
  expect(reasonsIn(now, sampleReport(BEFORE, { rows }))).toContainEqual(['NEW', []]);
  const older = sampleReport('2023-12-31' as QuarterEnd, omitting);
  expect(reasonsIn(now, older)[0]).toEqual(['NEW', ['no_prior_comparable_filing']]);
});

test.each([
  ['entry_total_mismatch', { declaredEntryTotal: 9 }],
  ['value_total_mismatch', { declaredValueTotal: 900_000_000n }],
] as const)(
  '%s of either report is shown at every change, which stays clear (rule 2.7)',
  (reason, declared) => {
    const [whole, short] = [{ rows }, { rows, ...declared }];
    const expected = [
      ['HELD', [reason]],
      ['HELD', [reason]],
    ];
    expect(reasonsIn(sampleReport(NOW, short), sampleReport(BEFORE, whole))).toEqual(expected);
    expect(reasonsIn(sampleReport(NOW, whole), sampleReport(BEFORE, short))).toEqual(expected);
    expect(changeQualityOf([reason]).status).toBe('clear');
  },
);

test('Greenlight of 2017-09-30 lists 119 of 122 rows and omits some: every initiation of the next quarter has a reason', () => {
  const [before, now] = ['0001079114-17-000013', '0001079114-18-000001'].map((accession) =>
    folded([thirteenFOf(corpusBytes(`filings/${accession}.txt`))]),
  ) as [EffectiveReport, EffectiveReport];
  const starts = diffReports(now, before).changes.filter(({ change }) => change === 'NEW');
  expect(starts).toHaveLength(22);
  for (const { reasons } of starts) {
    expect(reasons).toEqual(
      expect.arrayContaining(['entry_total_mismatch', 'prior_confidential_omitted', 'value_total_mismatch']),
    );
  }
  const brighthouse = starts.find(({ cusip }) => cusip === ('10922N103' as Cusip));
  expect(brighthouse?.amount).toBe(11_000_000n);
});
