import type { Db, Filter } from 'mongodb';
import type { Cik, QuarterEnd } from '../../domain/ids.ts';
import type { Reason } from '../../domain/quality/quality.ts';
import { reasonsOfTotals } from '../../domain/report/holding.ts';
import { contributingAccessions } from '../../domain/report/report.ts';
import { findVerdict } from '../../store/peers/verdicts.ts';
import { type ReportDoc, reportsIn } from '../../store/report/reports.ts';
import type { AuditScope } from './scope.ts';
import type { Audit } from './shape.ts';
import { type Tally, tally } from './tally.ts';
import { byAmount, type Worst, worstOf } from './worst.ts';

type Scaled = Audit['scales']['corrected']['worst'][number];
type Other = Audit['identical_positions']['worst'][number];

export type ReportsAudit = Pick<Audit, 'scales' | 'identical_positions' | 'reorganised_managers'> & {
  readonly reports: number;
  readonly reasons: Tally<Reason>;
};

const CORRECTED: readonly Reason[] = ['value_unit_thousands_after_2023', 'value_unit_dollars_before_2023'];

/** One pass over the reports: what each manager says for each quarter, all its filings together. */
export async function auditReports(db: Db, scope: AuditScope): Promise<ReportsAudit> {
  const reasons = tally<Reason>();
  const corrected = scaledReports(scope.limit, CORRECTED);
  const unverified = scaledReports(scope.limit, ['value_unit_unverified']);
  const sharesEqualValue = scaledReports(scope.limit, ['shares_equal_value']);
  const identical = pairedReports(scope.limit, 'identical_positions');
  const reorganised = pairedReports(scope.limit, 'manager_reorganised');
  let reports = 0;
  for await (const doc of reportsIn(db).find(filterOf(scope))) {
    if (scope.managers !== null && !scope.managers.has(doc.cik)) continue;
    reports += 1;
    reasons.add(reasonsOfTotals(doc), doc.newest.accession);
    for (const list of [corrected, unverified, sharesEqualValue, identical, reorganised]) list.look(doc);
  }
  return {
    reports,
    reasons,
    scales: {
      corrected: corrected.found(),
      unverified: unverified.found(),
      shares_equal_value: sharesEqualValue.found(),
    },
    identical_positions: await identical.found(db),
    reorganised_managers: await reorganised.found(db),
  };
}

function filterOf({ quarterEnd }: AuditScope): Filter<ReportDoc> {
  return quarterEnd === null ? {} : { quarterEnd };
}

const keyOf = ({ manager, quarter_end }: Pick<Scaled, 'manager' | 'quarter_end'>): string =>
  `${manager.cik}|${quarter_end}`;

/** Reports with one of the reasons, the largest first. */
function scaledReports(limit: number, wanted: readonly Reason[]) {
  const worst = worstOf<Scaled>(
    limit,
    byAmount<Scaled>(({ value_cents }) => BigInt(value_cents), keyOf),
  );
  return {
    look(doc: ReportDoc): void {
      const found = reasonsOfTotals(doc).filter((reason) => wanted.includes(reason));
      if (found.length === 0) return;
      worst.add({
        ...reportOf(doc),
        accession_numbers: contributingAccessions(doc),
        reasons: found,
        value_cents: doc.reportedValueCents.toString(),
      });
    },
    found: () => listed(worst),
  };
}

/** Reports that repeat another manager's book, or took it over; whose it is stands in the verdict. */
function pairedReports(limit: number, reason: 'identical_positions' | 'manager_reorganised') {
  const worst = worstOf<Omit<Other, 'other_cik'>>(
    limit,
    byAmount<Omit<Other, 'other_cik'>>(({ value_cents }) => BigInt(value_cents), keyOf),
  );
  return {
    look(doc: ReportDoc): void {
      if (!doc.reasons.includes(reason)) return;
      worst.add({ ...reportOf(doc), value_cents: doc.reportedValueCents.toString() });
    },
    async found(db: Db): Promise<{ total: number; worst: Other[] }> {
      const lines: Other[] = [];
      for (const line of worst.first()) {
        const { cik } = line.manager;
        const verdict = await findVerdict(db, {
          cik: cik as Cik,
          quarterEnd: line.quarter_end as QuarterEnd,
        });
        const other = reason === 'identical_positions' ? verdict.identicalTo : verdict.predecessor;
        lines.push({ ...line, other_cik: other });
      }
      return { total: worst.total(), worst: lines };
    },
  };
}

function reportOf({ cik, managerName, quarterEnd }: ReportDoc) {
  return { manager: { cik, name: managerName }, quarter_end: quarterEnd };
}

function listed<T>(worst: Worst<T>): { total: number; worst: T[] } {
  return { total: worst.total(), worst: worst.first() };
}
