import { describe, expect, it, test } from 'vitest';
import { constructedSubmission, filingText, thirteenFOf } from '../../../test/filings/read.ts';
import { APPLE, sampleFiling, sampleRow, sampleRows } from '../filing/filing.sample.ts';
import type { ThirteenF } from '../filing/filing.ts';
import type { Accession, Cik, QuarterEnd } from '../ids.ts';
import { changeQualityOf } from '../quality/quality.ts';
import { foldReport } from '../report/fold.ts';
import { diffReports } from './diff.ts';

/**
 * Berkshire at 2025-03-31: the real table of the report and the real cover of the amendment. The
 * amendment's own four rows were not kept; they are synthetic and add up to its declared total.
 */
describe('Berkshire at 2025-03-31, 110 rows and 4 revealed ones', () => {
  const cover = filingText('xml-only/berkshire_2025q1_new_holdings_amendment_primary_doc.xml');
  const parsed = thirteenFOf(
    constructedSubmission({
      form: '13F-HR/A',
      period: '20250331',
      filed: '20250814',
      documents: [
        ['13F-HR/A', cover],
        ['INFORMATION TABLE', filingText('xml-only/berkshire_2025q1_infotable.xml')],
      ],
    }),
  );
  const berkshire = (fields: Partial<ThirteenF>, filed: string, accession: string): ThirteenF => ({
    ...parsed,
    ...fields,
    header: {
      ...parsed.header,
      accession: accession as Accession,
      form: fields.isAmendment === false ? '13F-HR' : '13F-HR/A',
      filedDate: filed as ThirteenF['header']['filedDate'],
    },
  });
  const original = berkshire(
    {
      isAmendment: false,
      amendmentType: null,
      amendmentNumber: null,
      confidentialReveal: null,
      confidentialOmitted: true,
      declaredEntryTotal: 110,
      declaredValueTotal: 258_701_144_516n,
    },
    '2025-05-15',
    '0000000001-25-000001',
  );
  const revealed = sampleRows(4, 900).map((row) => ({ ...row, value: 276_637_589n, amount: 2_000_000n }));
  const amendment = berkshire({ rows: revealed }, '2025-08-14', '0000000001-25-000002');
  const report = foldReport([amendment, original]);

  test('114 rows count, including all 110, and no total differs (rule 2.8)', () => {
    expect(report).toMatchObject({ state: 'holdings', rowCount: 114, isAmended: true, reasons: [] });
    const kept = foldReport([original])?.positions ?? [];
    expect(report?.positions).toHaveLength(kept.length + 4);
    expect(report?.positions).toEqual(expect.arrayContaining([...kept]));
  });

  test('the amendment states that confidential treatment expired, and when (rule 2.13)', () => {
    expect(parsed).toMatchObject({
      amendmentType: 'new_holdings',
      confidentialOmitted: false,
      confidentialReveal: {
        reason: 'expired',
        dateDeniedOrExpired: '2025-08-14',
        dateReported: '2025-05-15',
      },
      declaredEntryTotal: 4,
      declaredValueTotal: 1_106_550_356n,
    });
  });

  test('positions that it discloses were held in its quarter, and are not new in the next one (rule 2.13)', () => {
    const marked = report?.positions.filter(({ reasons }) => reasons.includes('confidential_revealed'));
    expect(marked?.map(({ accessions }) => accessions)).toEqual(
      Array.from({ length: 4 }, () => ['0000000001-25-000002']),
    );
    const next = foldReport([
      { ...original, rows: revealed, quarterEnd: '2025-06-30' as QuarterEnd, confidentialOmitted: false },
    ]);
    if (report === null || next === null) throw new Error('filings fold to reports');
    const held = diffReports(next, report).changes.filter(({ amount }) => amount > 0n);
    expect(held.map(({ change }) => change)).toEqual(['HELD', 'HELD', 'HELD', 'HELD']);
    const unaware = foldReport([original]);
    const bought = diffReports(next, unaware).changes.filter(({ amount }) => amount > 0n);
    expect(bought.map(({ change }) => change)).toEqual(['NEW', 'NEW', 'NEW', 'NEW']);
  });
});

describe('amendments as managers really file them', () => {
  const vanguard = { cik: '0002100119' as Cik, quarterEnd: '2026-03-31' as QuarterEnd } as const;
  const base = sampleFiling({ ...vanguard, filedDate: '2026-05-12', rows: sampleRows(3_982) });

  it('80 new holdings do not replace 3,982, as in the filings of Vanguard at 2026-03-31 (rule 2.8)', () => {
    const added = sampleFiling({
      ...vanguard,
      accession: '0000000001-26-000002',
      filedDate: '2026-05-20',
      amendmentType: 'new_holdings',
      rows: sampleRows(80, 5_000),
    });
    expect(foldReport([added, base])).toMatchObject({ rowCount: 4_062, reasons: [] });
  });

  it('a restatement of three rows does not replace the table, and the doubt is reported (rule 2.9)', () => {
    const misfiled = sampleFiling({
      ...vanguard,
      accession: '0000000001-26-000003',
      filedDate: '2026-05-20',
      amendmentType: 'restatement',
      rows: sampleRows(3, 100),
    });
    const report = foldReport([misfiled, base]);
    expect(report).toMatchObject({ rowCount: 3_982, reasons: ['partial_restatement_suspected'] });
  });

  it('a restatement with less than a fifth of the rows does not replace the table (rule 2.9)', () => {
    const misfiled = (rows: number) =>
      sampleFiling({
        ...vanguard,
        accession: '0000000001-26-000003',
        filedDate: '2026-05-20',
        amendmentType: 'restatement',
        rows: sampleRows(rows),
      });
    expect(foldReport([misfiled(796), base])?.rowCount).toBe(3_982);
    expect(foldReport([misfiled(797), base])).toMatchObject({ rowCount: 797 });
  });

  it('a second original of other rows exits nothing for certain (rule 2.9)', () => {
    const of = (quarterEnd: QuarterEnd, accession: string, filedDate: string, rows: ThirteenF['rows']) =>
      sampleFiling({ quarterEnd, accession, filedDate, rows });
    const [before, now] = ['2023-12-31', '2024-03-31'] as QuarterEnd[] as [QuarterEnd, QuarterEnd];
    const prior = foldReport([of(before, '0000000001-24-000001', '2024-02-14', sampleRows(28))]);
    const first = of(now, '0000000001-24-000002', '2024-05-13', sampleRows(28));
    for (const rows of [sampleRows(2), sampleRows(2, 50), sampleRows(8), sampleRows(20, 22)]) {
      const report = foldReport([first, of(now, '0000000001-24-000003', '2024-05-15', rows)]);
      if (report === null) throw new Error('filings fold to a report');
      const { changes } = diffReports(report, prior);
      const clear = changes.filter(({ reasons }) => changeQualityOf(reasons).status === 'clear');
      expect(clear.filter(({ change }) => change !== 'HELD')).toEqual([]);
    }
  });

  it('three rows do not replace a table of ten, four do (rule 2.9)', () => {
    const ten = sampleFiling({ rows: sampleRows(10) });
    const rowsAfter = (rows: number) =>
      foldReport([
        ten,
        sampleFiling({
          accession: '0000000001-24-000002',
          filedDate: '2024-05-20',
          amendmentType: 'restatement',
          rows: sampleRows(rows),
        }),
      ])?.rowCount;
    expect([rowsAfter(3), rowsAfter(4)]).toEqual([10, 4]);
  });

  it('new holdings that repeat half of the table are not added to it (rule 2.9)', () => {
    const again = sampleFiling({
      ...vanguard,
      accession: '0000000001-26-000004',
      filedDate: '2026-05-20',
      amendmentType: 'new_holdings',
      rows: sampleRows(1_991),
    });
    const report = foldReport([again, base]);
    expect(report).toMatchObject({ rowCount: 1_991, reasons: ['repeated_new_holdings_suspected'] });
    expect(report?.positions.every(({ amount }) => amount === sampleRow().amount)).toBe(true);
  });

  it('new holdings that repeat rows of the table are not added, and put their positions in doubt (rule 2.9)', () => {
    const ten = sampleFiling({ rows: sampleRows(10) });
    const added = sampleFiling({
      accession: '0000000001-24-000002',
      filedDate: '2024-05-20',
      amendmentType: 'new_holdings',
      rows: sampleRows(10, 7),
    });
    const report = foldReport([added, ten]);
    expect(report).toMatchObject({ rowCount: 16, reasons: [] });
    expect(report?.positions.every(({ amount }) => amount === sampleRow().amount)).toBe(true);
    const doubted = report?.positions.filter(({ reasons }) => reasons.length > 0);
    expect(doubted?.map(({ issuer, reasons }) => [issuer, ...reasons])).toEqual(
      [7, 8, 9, 10].map((number) => [`ISSUER ${number}`, 'repeated_new_holdings_suspected']),
    );
  });

  it('a new holding that repeats one of several rows of a position is not added, and puts it in doubt (rule 2.9)', () => {
    const others = sampleRows(10, 2);
    const ofManagers = [100_000n, 50_000n].map((amount) => sampleRow({ amount, value: amount * 30n }));
    const before = sampleFiling({ rows: [...ofManagers, ...others] });
    const amended = (rows: ThirteenF['rows']) => {
      const added = { accession: '0000000001-24-000002', filedDate: '2024-05-20', rows } as const;
      const report = foldReport([before, sampleFiling({ ...added, amendmentType: 'new_holdings' })]);
      const marked = report?.positions.filter(({ cusip, reasons }) => cusip === APPLE || reasons.length > 0);
      return [report?.reasons, ...(marked ?? []).map(({ amount, reasons }) => [amount, ...reasons])];
    };
    const [again] = ofManagers.slice(0, 1);
    const more = sampleRow({ amount: 7_000n, value: 210_000n });
    const doubt = 'repeated_new_holdings_suspected';
    if (again === undefined) throw new Error('no row');
    expect(amended([again, ...sampleRows(1, 90)])).toEqual([[], [150_000n, doubt]]);
    expect(amended([again, more])).toEqual([[], [157_000n, doubt]]);
    // The same shares at another value are not a repeat, nor are other shares.
    expect(amended([{ ...again, value: 1n }])).toEqual([[], [250_000n]]);
    expect(amended([more])).toEqual([[], [157_000n]]);
  });

  it('the same filing delivered twice counts once (rule 2.8)', () => {
    expect(foldReport([base, base, { ...base }])).toEqual(foldReport([base]));
  });
});
