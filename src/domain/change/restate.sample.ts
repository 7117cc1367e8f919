import { APPLE, sampleRow } from '../filing/filing.sample.ts';
import type { InfoTableRow } from '../filing/filing.ts';
import type { Cusip } from '../ids.ts';
import type { CorporateAction, CusipChange } from '../peers/verdict.ts';
import { diffReports } from './diff.ts';
import { BEFORE, NOW, sampleReport } from './report.sample.ts';
import { corporateActionsByCusip } from './restate.ts';

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
