import { expect, test } from 'vitest';
import { diffReports } from '../change/diff.ts';
import { BEFORE, NOW, sampleReport } from '../change/report.sample.ts';
import { sampleRow, sampleRows } from '../filing/filing.sample.ts';
import { repeatsValueAsShares } from './scale.ts';

const honest = (count: number) => sampleRows(count, 500);
const repeating = (count: number) =>
  sampleRows(count).map((row, index) => ({
    ...row,
    amount: BigInt(1_000 + index),
    value: BigInt(1_000 + index),
  }));

test('five rows have unknown shares when four of them repeat the value as shares (rule 2.3)', () => {
  const judged = (rows: ReturnType<typeof repeating>) => repeatsValueAsShares([{ rows }]);
  expect(judged(repeating(5))).toBe(true);
  expect(judged(repeating(4))).toBe(false);
  expect(judged([...repeating(8), ...honest(2)])).toBe(true);
  expect(judged([...repeating(7), ...honest(2)])).toBe(false);
});

test('options and principal do not count: a bond at par repeats its value (rule 2.3)', () => {
  const rows = repeating(6).map((row) => ({ ...row, amountType: 'PRN' as const }));
  expect(repeatsValueAsShares([{ rows }])).toBe(false);
  expect(
    repeatsValueAsShares([{ rows: rows.map((row) => ({ ...row, unit: 'SH', putCall: 'PUT' as const })) }]),
  ).toBe(false);
});

test('a report with unknown shares is not compared with the one before or after (rule 2.3)', () => {
  const wrong = { rows: repeating(5) };
  const right = { rows: honest(5) };
  const now = diffReports(sampleReport(NOW, wrong), sampleReport(BEFORE, right));
  expect(now).toMatchObject({
    comparable: false,
    reasons: ['no_prior_comparable_filing', 'shares_equal_value'],
  });
  expect(now.changes).toHaveLength(5);
  const next = diffReports(sampleReport(NOW, right), sampleReport(BEFORE, wrong));
  expect(next).toMatchObject({ comparable: false, reasons: ['no_prior_comparable_filing'] });
});

test('an implied price of one dollar on a few rows does not make shares unknown (rule 2.3)', () => {
  expect(sampleReport(NOW, { rows: [sampleRow({ amount: 20_000n, value: 20_000n })] }).reasons).toEqual([]);
});
