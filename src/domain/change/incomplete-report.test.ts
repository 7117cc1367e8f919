import { expect, test } from 'vitest';
import { corpusBytes, folded } from '../../../test/filed-positions.ts';
import { thirteenFOf } from '../../../test/filings/read.ts';
import { GOOGL, SPY, sampleRow } from '../filing/filing.sample.ts';
import type { Cusip, QuarterEnd } from '../ids.ts';
import { changeQualityOf } from '../quality/quality.ts';
import type { EffectiveReport } from '../report/report.ts';
import { diffReports } from './diff.ts';
import { BEFORE, NOW, sampleReport } from './report.sample.ts';

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
