import { APPLE, type SampleFiling, sampleFiling, sampleRow } from '../filing/filing.sample.ts';
import type { InfoTableRow } from '../filing/filing.ts';
import type { Cusip, QuarterEnd } from '../ids.ts';
import type { CorporateAction, CusipChange } from '../peers/verdict.ts';
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

export const OLD = '00165C104' as Cusip;
export const NEW = '00165C302' as Cusip;
export const ratio = (numerator: bigint, denominator = 1n) => ({ numerator, denominator });
export const split = (factor = ratio(4n)): CorporateAction => ({
  kind: 'split',
  cusip: APPLE,
  factor,
  votes: 37,
  compared: 41,
});
export const moved: CusipChange = {
  kind: 'cusip_change',
  cusip: NEW,
  from: OLD,
  factor: ratio(1n, 10n),
  votes: 30,
  compared: 40,
};
export const changesOf = (
  now: readonly InfoTableRow[],
  before: readonly InfoTableRow[],
  ...corporateActions: CorporateAction[]
) => changesAfter([], now, before, ...corporateActions);
/** With changes of CUSIP of the quarters before. */
export const changesAfter = (
  earlier: readonly CusipChange[],
  now: readonly InfoTableRow[],
  before: readonly InfoTableRow[],
  ...corporateActions: CorporateAction[]
) =>
  diffReports(
    sampleReport(NOW, { rows: now }),
    sampleReport(BEFORE, { rows: before }),
    corporateActionsByCusip(corporateActions),
    earlier,
  ).changes;
/** A row of the sample security. */
export const row = (amount: bigint, fields: Partial<InfoTableRow> = {}) => sampleRow({ amount, ...fields });
