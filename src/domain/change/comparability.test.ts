import { describe, expect, it } from 'vitest';
import {
  APPLE,
  GOOGL,
  SPY,
  sampleFiling,
  sampleManager,
  sampleRow,
  sampleRows,
} from '../filing/filing.sample.ts';
import type { Cik, Cusip, QuarterEnd } from '../ids.ts';
import { foldReport } from '../report/fold.ts';
import { type EffectiveReport, ONE_FOR_ONE } from '../report/report.ts';
import { diffReports } from './diff.ts';
import { BEFORE, diffOf, NOW, sampleReport, summaryOf } from './report.sample.ts';

const CHEVRON = '166764100' as Cusip;
const reasonsIn = (now: EffectiveReport, prior: EffectiveReport) =>
  diffReports(now, prior).changes.map(({ cusip, change, reasons }) => [cusip, change, reasons]);

describe('comparability', () => {
  const current = sampleReport(NOW, { rows: [sampleRow({ amount: 1n, value: 1n })] });

  it('needs the adjacent quarter: without it all is NEW, nothing exits and no size is judged (rule 5.1)', () => {
    const older = sampleReport('2023-12-31' as QuarterEnd, { rows: [sampleRow({ cusip: GOOGL })] });
    for (const prior of [null, older]) {
      const diff = diffReports(current, prior);
      expect(diff).toMatchObject({ comparable: false, reasons: ['no_prior_comparable_filing'] });
      expect(diff.changes.map(summaryOf)).toEqual([[APPLE, 'NEW', 1n, 100, ['no_prior_comparable_filing']]]);
      expect(diff.changes[0]?.priorAccessions).toEqual([]);
    }
  });

  it('is lost after a notice, and the reason says where the holdings were (rule 2.11)', () => {
    const diff = diffReports(current, sampleReport(BEFORE, { reportType: 'notice' }));
    expect(diff.comparable).toBe(false);
    expect(diff.changes[0]?.reasons).toEqual(['no_prior_comparable_filing', 'reported_elsewhere']);
  });

  it('is lost by a notice, which has no exits (rule 2.11)', () => {
    const diff = diffReports(
      sampleReport(NOW, { reportType: 'notice' }),
      sampleReport(BEFORE, { rows: [sampleRow()] }),
    );
    expect(diff).toMatchObject({ comparable: false, reasons: ['reported_elsewhere'], changes: [] });
  });

  it('is lost when either quarter is only a supplement (rule 2.8)', () => {
    const rows = [sampleRow()];
    const supplement = { amendmentType: 'new_holdings', rows } as const;
    const after = diffReports(sampleReport(NOW, { rows }), sampleReport(BEFORE, supplement));
    expect(after.changes[0]?.reasons).toEqual(['no_prior_comparable_filing']);
    const alone = diffReports(sampleReport(NOW, supplement), sampleReport(BEFORE, { rows }));
    expect(alone.changes[0]?.reasons).toEqual(['no_prior_comparable_filing', 'supplement_without_base']);
  });

  it('holds after an empty portfolio, and an empty portfolio exits everything (rule 2.6)', () => {
    expect(diffOf([sampleRow()], []).changes[0]).toMatchObject({ change: 'NEW', reasons: [] });
    expect(diffOf([], [sampleRow()])).toMatchObject({ comparable: true, changes: [{ change: 'EXITED' }] });
  });
});

describe('doubts of a whole report', () => {
  const rows = [sampleRow(), sampleRow({ cusip: GOOGL })];
  const parent = sampleManager({ name: 'Parent Corp', form13fFileNumber: '28-5194' });
  const same = sampleManager({ name: 'PARENT CORPORATION', form13fFileNumber: '028-05194' });
  const combined = (quarterEnd: QuarterEnd, reportedBy = [parent]) =>
    sampleReport(quarterEnd, { reportType: 'combination', reportedBy, rows });

  it('a combination report compares with the same managers, in any spelling of their file numbers (rule 2.12)', () => {
    const other = sampleManager({ name: 'SECOND LLC' });
    const diff = diffReports(combined(NOW, [other, parent]), combined(BEFORE, [same, other]));
    expect(diff).toMatchObject({ comparable: true, reasons: [] });
  });

  const shares = (amounts: Record<string, bigint>) =>
    Object.entries(amounts).map(([cusip, amount]) =>
      sampleRow({ cusip: cusip as typeof APPLE, amount, value: amount * 100n }),
    );
  const [less, more] = [
    shares({ [APPLE]: 500_000n, [GOOGL]: 40_000n, [SPY]: 90_000n }),
    shares({ [APPLE]: 500_000n, [GOOGL]: 47_000n, [CHEVRON]: 80_000n }),
  ];
  const HELD = [APPLE, 'HELD', []];

  it('a report that takes in what another manager reported puts rises and starts in doubt (rule 2.12)', () => {
    const now = sampleReport(NOW, { rows: more });
    const before = sampleReport(BEFORE, { reportType: 'combination', reportedBy: [parent], rows: less });
    for (const prior of [before, { ...before, reportedBy: [] }]) {
      expect(reasonsIn(now, prior)).toEqual([
        [GOOGL, 'ADDED', ['combination_report']],
        HELD,
        [CHEVRON, 'NEW', ['combination_report']],
        [SPY, 'EXITED', []],
      ]);
    }
    const fewer = sampleReport(NOW, { rows: shares({ [APPLE]: 400_000n }) });
    expect(reasonsIn(fewer, before).map(([, , reasons]) => reasons)).toEqual([[], [], []]);
  });

  it('a report that gives some out puts falls and exits in doubt, another list both (rule 2.12)', () => {
    const priors = [sampleReport(BEFORE, { rows: more }), combined(BEFORE, [sampleManager()])];
    const [gave, both] = priors.map((prior) =>
      reasonsIn(sampleReport(NOW, { reportType: 'combination', reportedBy: [parent], rows: less }), {
        ...prior,
        positions: priors[0]?.positions ?? [],
      }),
    );
    const doubt = ['combination_report'];
    expect(gave).toEqual([[GOOGL, 'REDUCED', doubt], HELD, [CHEVRON, 'EXITED', doubt], [SPY, 'NEW', []]]);
    expect(both).toEqual([[GOOGL, 'REDUCED', doubt], HELD, [CHEVRON, 'EXITED', doubt], [SPY, 'NEW', doubt]]);
  });

  it('where the reports of the other manager are stored, only what moved is in doubt (rule 2.12)', () => {
    const before = sampleReport(BEFORE, { reportType: 'combination', reportedBy: [parent], rows: less });
    const of = (name: string, cusips: readonly Cusip[]) => [{ cik: '0000000002' as Cik, name, cusips }];
    const now = { ...sampleReport(NOW, { rows: more }), moved: of('PARENT CORP', [GOOGL]) };
    expect(reasonsIn(now, before)).toEqual([
      [GOOGL, 'ADDED', ['moved_between_reports']],
      HELD,
      [CHEVRON, 'NEW', []],
      [SPY, 'EXITED', []],
    ]);
    const unknown = reasonsIn({ ...now, moved: of('OTHER CORP', []) }, before);
    expect(unknown.map(([, , reasons]) => reasons)).toContainEqual(['combination_report']);
  });

  describe('where the cover lists what another manager reported before (rule 2.12)', () => {
    const before = sampleReport(BEFORE, { reportType: 'combination', reportedBy: [parent], rows: less });
    const takenIn = {
      from: same,
      positions: [
        { cusip: GOOGL, amount: 7_000n },
        { cusip: CHEVRON, amount: 80_000n },
      ],
    };
    const listing = (amount: bigint, fields = {}) =>
      sampleReport(NOW, {
        rows: shares({ [APPLE]: 600_000n, [GOOGL]: amount, [CHEVRON]: 80_000n }),
        takenIn,
        ...fields,
      });

    it('its counts belong to the shares before, its starts stay in doubt, and nothing else does', () => {
      expect(reasonsIn(listing(47_000n), before)).toEqual([
        [GOOGL, 'HELD', ['taken_in_stated']],
        [APPLE, 'ADDED', []],
        [CHEVRON, 'NEW', ['combination_report']],
        [SPY, 'EXITED', []],
      ]);
      const restated = { factor: ONE_FOR_ONE, fromCusip: null, filedPriorAmount: 40_000n };
      expect(diffReports(listing(45_000n), before).changes[0]).toMatchObject({
        ...{ change: 'REDUCED', amountDelta: -2_000n, priorAmount: 47_000n, restated },
        reasons: ['taken_in_stated'],
      });
    });

    it('a stored report of that manager adds no doubt', () => {
      const moved = [{ cik: '0000000002' as Cik, name: 'PARENT CORP', cusips: [GOOGL] }];
      expect(reasonsIn({ ...listing(45_000n), moved }, before)[0]).toEqual([
        GOOGL,
        'REDUCED',
        ['taken_in_stated'],
      ]);
    });

    it.each([
      [
        'of another manager',
        { takenIn: { ...takenIn, from: sampleManager({ name: 'SECOND LLC' }) } },
        before,
      ],
      ['of one of two', {}, { ...before, reportedBy: [parent, sampleManager({ name: 'SECOND LLC' })] }],
      ['while the cover still names it', { reportType: 'combination', reportedBy: [parent] }, before],
      ['where the report before named none', {}, { ...before, reportedBy: [] }],
    ])('a list %s counts for nothing', (_, fields, prior) => {
      const changes = diffReports(listing(47_000n, fields), prior).changes;
      expect(changes[0]).toMatchObject({ change: 'ADDED', priorAmount: 40_000n, restated: null });
    });
  });

  it('omitted confidential positions make exits uncertain and nothing else (rule 2.13)', () => {
    const omitting = sampleReport(NOW, { confidentialOmitted: true, rows: [sampleRow({ amount: 50_000n })] });
    const diff = diffReports(omitting, sampleReport(BEFORE, { rows }));
    expect(diff.changes.map(summaryOf)).toEqual([
      [GOOGL, 'EXITED', -20_000n, -100, ['confidential_omitted']],
      [APPLE, 'ADDED', 30_000n, 150, []],
    ]);
    const before = diffReports(
      sampleReport(NOW, { rows: [] }),
      sampleReport(BEFORE, { confidentialOmitted: true, rows }),
    );
    expect(before.changes.flatMap(({ reasons }) => reasons)).toEqual([]);
  });

  it('a suspected amendment on either side touches every change (rule 2.9)', () => {
    const doubtful = {
      ...sampleReport(BEFORE, { rows }),
      reasons: ['partial_restatement_suspected'] as const,
    };
    expect(diffReports(sampleReport(NOW, { rows }), doubtful).changes[0]?.reasons).toEqual([
      'partial_restatement_suspected',
    ]);
  });

  it('a supplement proves an absence too (rule 2.8)', () => {
    const base = sampleFiling({
      accession: '0000000001-24-000020',
      filedDate: '2024-08-14',
      quarterEnd: NOW,
      rows,
    });
    const added = sampleFiling({
      accession: '0000000001-24-000021',
      filedDate: '2024-08-20',
      quarterEnd: NOW,
      amendmentType: 'new_holdings',
      rows: sampleRows(1),
    });
    const now = foldReport([base, added]);
    if (!now) throw new Error('two filings fold to a report');
    const exit = diffReports(now, sampleReport(BEFORE, { rows: [sampleRow({ cusip: SPY })] })).changes.at(-2);
    expect(exit).toMatchObject({ cusip: SPY, change: 'EXITED' });
    expect(exit?.accessions).toEqual(['0000000001-24-000020', '0000000001-24-000021']);
  });
});
