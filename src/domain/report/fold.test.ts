import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { APPLE, GOOGL, sampleFiling, sampleManager, sampleRow, sampleRows } from '../filing/filing.sample.ts';
import type { Cik } from '../ids.ts';
import { lateOriginal, newHoldings, original, restatement, roles, secondAddition } from './fold.sample.ts';
import { foldReport } from './fold.ts';

const notice = sampleFiling({
  accession: '0000000001-24-000006',
  filedDate: '2024-05-11',
  reportType: 'notice',
  reportedBy: [sampleManager({ name: 'PARENT CORP' })],
});

describe('the effective report', () => {
  it('is null without filings', () => {
    expect(foldReport([])).toBeNull();
  });

  it('is the same for every arrival order and repeated delivery', () => {
    const filings = [original, lateOriginal, restatement, newHoldings, secondAddition, notice];
    const expected = foldReport(filings);
    const arrival = fc.shuffledSubarray([...filings, ...filings], { minLength: 12 });
    fc.assert(
      fc.property(arrival, (shuffled) => {
        expect(foldReport(shuffled)).toEqual(expected);
      }),
      { numRuns: 300 },
    );
    expect(expected?.rowCount).toBe(27);
  });

  it('gives each filing its role, in the order of the fold (rule 2.8)', () => {
    const report = foldReport([secondAddition, newHoldings, notice, restatement, lateOriginal, original]);
    expect(roles(report)).toEqual([
      '1 superseded',
      '6 superseded',
      '2 superseded',
      '3 base',
      '4 supplement',
      '5 supplement',
    ]);
    expect(report).toMatchObject({ state: 'holdings', isAmended: true, reasons: [] });
    expect(report?.newest.accession).toBe(secondAddition.header.accession);
  });

  it('adds new holdings to the report and keeps the rest (rule 2.8)', () => {
    const report = foldReport([newHoldings, original]);
    expect(report?.positions).toHaveLength(24);
    expect(report?.newest.publishedAt).toEqual({ value: '2024-06-01T20:21:59Z', precision: 'second' });
    expect(foldReport([original])?.newest.publishedAt).toEqual({ value: '2024-05-10', precision: 'day' });
  });

  it('orders amendments of one day by number, acceptance and accession (rule 2.8)', () => {
    const early = { ...restatement, header: { ...restatement.header, acceptedAt: '2024-05-20T13:00:00Z' } };
    const late = sampleFiling({
      accession: '0000000001-24-000000',
      filedDate: '2024-05-20',
      acceptedAt: '2024-05-20T14:00:00Z',
      amendmentType: 'restatement',
      amendmentNumber: 1,
      rows: sampleRows(21),
    });
    expect(foldReport([late, early, original])?.rowCount).toBe(21);
  });

  it('throws for filings of another manager', () => {
    const stray = sampleFiling({ accession: '0000000002-24-000001', cik: '0000000002' as Cik });
    expect(() => foldReport([original, stray])).toThrow(/0000000002/);
  });

  it('holds nothing for a table without rows or with a placeholder row, and is still a report', () => {
    const placeholder = sampleRow({ amount: 0n, value: 0n });
    for (const rows of [[], [placeholder]]) {
      const report = foldReport([sampleFiling({ rows, declaredEntryTotal: 0, declaredValueTotal: 0n })]);
      expect(report).toMatchObject({ state: 'holdings', positions: [], rowCount: rows.length, reasons: [] });
    }
  });

  it('omits confidential positions when any contributing cover states it (rule 2.13)', () => {
    expect(foldReport([original])?.confidentialOmitted).toBe(false);
    const omitting = { ...original, confidentialOmitted: true };
    expect(foldReport([omitting, newHoldings])?.confidentialOmitted).toBe(true);
    expect(foldReport([omitting, restatement])?.confidentialOmitted).toBe(false);
  });
});

describe('notices', () => {
  it('alone mean that other managers report the holdings (rule 2.11)', () => {
    expect(foldReport([notice])).toMatchObject({
      state: 'notice',
      positions: [],
      reportedBy: [{ name: 'PARENT CORP' }],
      reasons: ['reported_elsewhere'],
    });
  });

  it('never remove the holdings of the same quarter, filed before or after them (rule 2.11)', () => {
    expect(roles(foldReport([notice, original]))).toEqual(['1 base', '6 notice']);
    expect(roles(foldReport([notice, lateOriginal]))).toEqual(['6 superseded', '2 base']);
    expect(foldReport([notice, original])).toMatchObject({ state: 'holdings', rowCount: 20, reasons: [] });
  });

  it('with a table are a report with the wrong box ticked (rule 2.11)', () => {
    const mislabelled = sampleFiling({ reportType: 'notice', rows: sampleRows(2) });
    expect(foldReport([mislabelled])).toMatchObject({ state: 'holdings', rowCount: 2 });
  });
});

describe('declared totals', () => {
  const rows = [sampleRow({ amount: 5n, value: 100n }), sampleRow({ cusip: GOOGL, amount: 5n, value: 50n })];
  const reasonsOf = (declaredEntryTotal: number | null, declaredValueTotal: bigint | null) =>
    foldReport([sampleFiling({ rows, declaredEntryTotal, declaredValueTotal })])?.reasons;

  it('may differ by the rounding of each row, not by more (rule 2.7)', () => {
    expect(reasonsOf(2, 152n)).toEqual([]);
    expect(reasonsOf(2, 148n)).toEqual([]);
    expect(reasonsOf(2, 153n)).toEqual(['value_total_mismatch']);
    expect(reasonsOf(2, 147n)).toEqual(['value_total_mismatch']);
    expect(reasonsOf(null, null)).toEqual([]);
  });

  it('must match the number of rows (rule 2.7)', () => {
    expect(reasonsOf(3, 150n)).toEqual(['entry_total_mismatch']);
  });

  it('count rows without a usable CUSIP, which give a reason but no position', () => {
    const unusable = sampleRow({ cusip: null, value: 1n, reasons: ['cusip_malformed'] });
    const report = foldReport([sampleFiling({ rows: [...rows, unusable], declaredEntryTotal: 3 })]);
    expect(report).toMatchObject({ rowCount: 3, reasons: ['cusip_malformed'] });
    expect(report?.positions.map(({ cusip }) => cusip)).toEqual([GOOGL, APPLE]);
  });
});
