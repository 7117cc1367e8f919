import { type SampleFiling, sampleFiling } from '../filing/filing.sample.ts';
import type { InfoTableRow } from '../filing/filing.ts';
import type { QuarterEnd } from '../ids.ts';
import type { CorporateAction } from '../peers/verdict.ts';
import { foldReport } from '../report/fold.ts';
import type { EffectiveReport, PositionChange, ReportChanges } from '../report/report.ts';
import { diffReports } from './diff.ts';
import { corporateActionsByCusip } from './restate.ts';

/** Two adjacent quarters for the tests of comparisons. */
export const NOW = '2024-06-30' as QuarterEnd;
export const BEFORE = '2024-03-31' as QuarterEnd;

/** The report of one sample filing; NOW's accession ends in 20, any other quarter's in 10. */
export function sampleReport(quarterEnd: QuarterEnd, fields: SampleFiling): EffectiveReport {
  const filedDate = quarterEnd === NOW ? '2024-08-14' : '2024-05-15';
  const accession = quarterEnd === NOW ? '0000000001-24-000020' : '0000000001-24-000010';
  const folded = foldReport([sampleFiling({ accession, filedDate, quarterEnd, ...fields })]);
  if (!folded) throw new Error('one filing folds to a report');
  return folded;
}

export function diffOf(
  now: readonly InfoTableRow[],
  before: readonly InfoTableRow[],
  ...corporateActions: CorporateAction[]
): ReportChanges {
  const [report, prior] = [sampleReport(NOW, { rows: now }), sampleReport(BEFORE, { rows: before })];
  return diffReports(report, prior, corporateActionsByCusip(corporateActions));
}

export function summaryOf({ cusip, change, amountDelta, pctDelta, reasons }: PositionChange): unknown[] {
  return [cusip, change, amountDelta, pctDelta, reasons];
}
