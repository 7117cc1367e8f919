import type { Db } from 'mongodb';
import type { Reason } from '../../domain/quality/quality.ts';
import { reasonsOfTotals } from '../../domain/report/holding.ts';
import { contributingAccessions } from '../../domain/report/report.ts';
import { findVerdict } from '../../store/peers/verdicts.ts';
import { type ReportDoc, reportsIn } from '../../store/report/reports.ts';
import type { AuditScope } from './scope.ts';
import { byAmount, tally, worstOf } from './tally.ts';

const CORRECTED: readonly Reason[] = ['value_unit_thousands_after_2023', 'value_unit_dollars_before_2023'];

/** One pass over the reports: what each manager says for each quarter, all its filings together. */
export async function auditReports(db: Db, { quarterEnd, managers, limit }: AuditScope) {
  const reasons = tally<Reason>();
  const scaled = () => worstOf<NonNullable<ReturnType<typeof scaledLine>>>(limit, byValue);
  const [corrected, unverified, sharesEqualValue] = [scaled(), scaled(), scaled()];
  const [identical, reorganised] = [worstOf<ReportLine>(limit, byValue), worstOf<ReportLine>(limit, byValue)];
  let reports = 0;
  for await (const doc of reportsIn(db).find(quarterEnd === null ? {} : { quarterEnd })) {
    if (managers !== null && !managers.has(doc.cik)) continue;
    reports += 1;
    reasons.add(reasonsOfTotals(doc), doc.newest.accession);
    corrected.add(scaledLine(doc, CORRECTED));
    unverified.add(scaledLine(doc, ['value_unit_unverified']));
    sharesEqualValue.add(scaledLine(doc, ['shares_equal_value']));
    if (doc.reasons.includes('identical_positions')) identical.add(lineOf(doc));
    if (doc.reasons.includes('manager_reorganised')) reorganised.add(lineOf(doc));
  }
  return {
    reports,
    reasons,
    scales: {
      corrected: corrected.found(),
      unverified: unverified.found(),
      shares_equal_value: sharesEqualValue.found(),
    },
    identical_positions: await withOther(db, identical.found(), 'identicalTo'),
    reorganised_managers: await withOther(db, reorganised.found(), 'predecessor'),
  };
}

type ReportLine = ReturnType<typeof lineOf>;

const byValue = byAmount<ReportLine>(
  ({ value_cents }) => BigInt(value_cents),
  ({ manager, quarter_end }) => `${manager.cik}|${quarter_end}`,
);

function lineOf({ cik, managerName, quarterEnd, reportedValueCents }: ReportDoc) {
  const manager = { cik, name: managerName };
  return { manager, quarter_end: quarterEnd, value_cents: reportedValueCents.toString() };
}

/** Null for a report with none of the reasons. */
function scaledLine(doc: ReportDoc, wanted: readonly Reason[]) {
  const reasons = reasonsOfTotals(doc).filter((reason) => wanted.includes(reason));
  if (reasons.length === 0) return null;
  return { ...lineOf(doc), accession_numbers: contributingAccessions(doc), reasons };
}

/** Reports with the positions of another manager, or taken over from one. The verdict names that manager. */
async function withOther(
  db: Db,
  { total, worst }: { readonly total: number; readonly worst: readonly ReportLine[] },
  other: 'identicalTo' | 'predecessor',
) {
  const lines: (ReportLine & { other_cik: string | null })[] = [];
  for (const line of worst) {
    const verdict = await findVerdict(db, { cik: line.manager.cik, quarterEnd: line.quarter_end });
    lines.push({ ...line, other_cik: verdict[other] });
  }
  return { total, worst: lines };
}
