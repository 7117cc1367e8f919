import { expect, it } from 'vitest';
import { APPLE, GOOGL, SPY, sampleFiling, sampleRow } from '../filing/filing.sample.ts';
import type { Cik, QuarterEnd } from '../ids.ts';
import { foldReport } from '../report/fold.ts';
import type { EffectiveReport } from '../report/report.ts';
import { diffReports } from './diff.ts';
import { BEFORE, NOW, sampleReport } from './report.sample.ts';

const reportOf = (quarterEnd: QuarterEnd, amounts: Record<string, bigint>): EffectiveReport =>
  sampleReport(quarterEnd, {
    rows: Object.entries(amounts).map(([cusip, amount], at) =>
      sampleRow({ row: at + 1, cusip: cusip as typeof APPLE, issuer: cusip, amount, value: amount }),
    ),
  });

const CHILD = { cik: '0000000002' as Cik, name: 'CHILD CO' };

it('changes of what moved between two reports are withheld, and no others (rule 4.11)', () => {
  const before = reportOf(BEFORE, { [APPLE]: 50_000n, [SPY]: 70_000n });
  const now = {
    ...reportOf(NOW, { [APPLE]: 90_000n, [GOOGL]: 60_000n, [SPY]: 80_000n }),
    moved: [{ ...CHILD, cusips: [APPLE, GOOGL] }],
  };
  const { changes } = diffReports(now, before);
  expect(changes.map(({ cusip, change, reasons }) => [cusip, change, reasons]).sort()).toEqual(
    [
      [APPLE, 'ADDED', ['moved_between_reports']],
      [GOOGL, 'NEW', ['moved_between_reports']],
      [SPY, 'ADDED', []],
    ].sort(),
  );
});

it('an exit is withheld like a purchase; an equal count is not in doubt (rule 4.11)', () => {
  const before = reportOf(BEFORE, { [APPLE]: 50_000n, [SPY]: 70_000n });
  const now = { ...reportOf(NOW, { [SPY]: 70_000n }), moved: [{ ...CHILD, cusips: [APPLE, SPY] }] };
  const { changes } = diffReports(now, before);
  expect(changes.map(({ change, reasons }) => [change, reasons]).sort()).toEqual([
    ['EXITED', ['moved_between_reports']],
    ['HELD', []],
  ]);
});

it('a baseline is no change that could be in doubt (rule 5.1)', () => {
  const filing = sampleFiling({ quarterEnd: NOW, rows: [sampleRow()] });
  const now = foldReport([filing], { moved: [{ ...CHILD, cusips: [APPLE] }] });
  expect(now && diffReports(now, null).changes[0]?.reasons).toEqual(['no_prior_comparable_filing']);
});
