import type { Db } from 'mongodb';
import type { Reason } from '../../domain/quality/quality.ts';
import { reasonsOfTotals } from '../../domain/report/holding.ts';
import { findVerdict } from '../../store/peers/verdicts.ts';
import { type ReportDoc, reportsIn } from '../../store/report/reports.ts';
import { type AuditScope, byAmount, type Section, tally, usd, worstOf } from './tally.ts';

const SCALES: readonly Reason[] = [
  'value_unit_thousands_after_2023',
  'value_unit_dollars_before_2023',
  'value_unit_unverified',
  'shares_equal_value',
];
type Doubted = { readonly doc: ReportDoc; readonly reason: Reason };

/** One pass over the reports: what each manager says for each quarter, all its filings together. */
export async function auditReports(db: Db, { quarterEnd, limit }: AuditScope) {
  const reasons = tally<Reason>();
  const [scales, others] = [worstOf<Doubted>(limit, byValue), worstOf<Doubted>(limit, byValue)];
  let count = 0;
  for await (const doc of reportsIn(db).find(quarterEnd === null ? {} : { quarterEnd })) {
    count += 1;
    const own = reasonsOfTotals(doc);
    reasons.add(own, doc.newest.accession);
    for (const reason of SCALES) if (own.includes(reason)) scales.add({ doc, reason });
    if (doc.reasons.includes('identical_positions')) others.add({ doc, reason: 'identical_positions' });
  }
  const [scaled, shared] = [scales.found(), others.found()];
  const sections: Section[] = [
    {
      title: 'Scales of values',
      about: `${scaled.total} reports whose values are corrected, contradicted, not checked, or repeated as share counts.`,
      rows: scaled.worst.map(rowOf),
    },
    {
      title: 'Positions of another manager',
      about: `${shared.total} reports that repeat the positions of another manager.`,
      rows: await Promise.all(shared.worst.map((one) => withOther(db, one))),
    },
  ];
  return { count, reasons, sections };
}

const byValue = byAmount<Doubted>(
  ({ doc }) => doc.reportedValueCents,
  ({ doc, reason }) => `${doc.cik}|${doc.quarterEnd}|${reason}`,
);

function rowOf({ doc, reason }: Doubted) {
  const { cik, managerName: manager, quarterEnd: quarter, newest, reportedValueCents } = doc;
  return {
    reason,
    cik,
    manager,
    quarter,
    filing: newest.accession,
    value_usd: usd(BigInt(reportedValueCents)),
  };
}

async function withOther(db: Db, one: Doubted) {
  const { identicalTo } = await findVerdict(db, one.doc);
  return { ...rowOf(one), other_cik: identicalTo };
}
