import { expect, test } from 'vitest';
import { diffReports } from '../change/diff.ts';
import { BEFORE, NOW, sampleReport } from '../change/report.sample.ts';
import { type Cik, isCik, type QuarterEnd } from '../ids.ts';
import { sampleRow } from './filing.sample.ts';
import { kebabSlug, predecessorOf, SUCCESSIONS, slugWithSuffix } from './manager.ts';

const BLACKROCK = '0002012383' as Cik;

test('the new BlackRock continues the old one only in its first quarter (rule 5.7)', () => {
  expect(predecessorOf(BLACKROCK, '2024-09-30' as QuarterEnd)).toBe('0001364742');
  expect(predecessorOf(BLACKROCK, '2024-12-31' as QuarterEnd)).toBe('0001364742');
  expect(predecessorOf(BLACKROCK, '2025-03-31' as QuarterEnd)).toBeNull();
  expect(predecessorOf('0001364742' as Cik, '2024-09-30' as QuarterEnd)).toBeNull();
});

test('every succession names two managers and its source (rule 5.7)', () => {
  for (const { cik, predecessor, source, firstQuarterEnds } of SUCCESSIONS) {
    expect([isCik(cik), isCik(predecessor), cik !== predecessor]).toEqual([true, true, true]);
    expect(source).toMatch(/^https:\/\//);
    expect(firstQuarterEnds.length).toBeGreaterThan(0);
  }
});

test('a first report is compared with that of the predecessor, and every change has the reason (rule 5.7)', () => {
  const own = sampleReport(NOW, { cik: BLACKROCK, rows: [sampleRow({ amount: 21_000n })] });
  const prior = sampleReport(BEFORE, { cik: '0001364742' as Cik, rows: [sampleRow()] });
  expect(diffReports(own, prior)).toMatchObject({
    comparable: true,
    reasons: ['manager_reorganised'],
    changes: [{ change: 'ADDED', amountDelta: 1_000n, reasons: ['manager_reorganised'] }],
  });
});

test('a name becomes lower-case words joined by dashes', () => {
  expect(kebabSlug('BERKSHIRE HATHAWAY INC')).toBe('berkshire-hathaway-inc');
  expect(kebabSlug('T. Rowe Price & Co., L.P. /MD/')).toBe('t-rowe-price-and-co-lp-md');
  expect(kebabSlug("Société d'Épargne")).toBe('societe-depargne');
});

test('a taken or empty slug gets a suffix that depends on the manager alone', () => {
  expect(slugWithSuffix('ACME LP', '0000000040' as Cik)).toBe('acme-lp-14');
  expect(slugWithSuffix('ACME L.P.', '0000000041' as Cik)).toBe('acme-lp-15');
  expect(slugWithSuffix('///', '0000000041' as Cik)).toBe('fund-15');
});
