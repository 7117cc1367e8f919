import type { Db } from 'mongodb';
import type { Cusip, QuarterEnd } from '../../domain/ids.ts';
import { type ReportKey, reportId } from '../../store/filing/filings.ts';
import { fundsById } from '../../store/report/funds.ts';
import { cusipsByPage, pagesOf, previousPagesOf } from '../../store/report/holdings.ts';
import { ALL_OPTION_BUCKETS, options } from '../../store/report/options.ts';
import { type ListedReport, type ReportDoc, reportsOfFunds } from '../../store/report/reports.ts';
import type { DigestKey } from '../../store/report/segment.ts';

/** A report as it is shown now, else the one that this run withdrew. */
export type ComparedReport = {
  readonly key: ReportKey;
  readonly report: ReportDoc | null;
  readonly withdrawn: ReportDoc | null;
};

/** The securities behind which a report stands, or stood. */
export type Touched = {
  readonly key: ReportKey;
  /** Of shares; null for a report that is gone: its securities are not known any more. */
  readonly shares: readonly Cusip[] | null;
  readonly cusips: readonly Cusip[];
  readonly options: readonly Cusip[];
  /** The quarter of the manager's report before this one; null without one. */
  readonly before: QuarterEnd | null;
};

/**
 * The securities in the rows that reports show, showed before, or that the manager counted by until it filed
 * them; those of options apart, because their managers may hold no share of the security.
 */
export async function touchedSecurities(db: Db, compared: readonly ComparedReport[]): Promise<Touched[]> {
  const reports = await reportsBehind(db, compared);
  const cusips = await cusipsByPage(db, reports.flatMap(pagesOfAll));
  const optional = await optionsByReport(db, reports);
  return reports.map((behind) => {
    const { key, before, isGone } = behind;
    const own = [...new Set(pagesOfAll(behind).flatMap((page) => cusips.get(page) ?? []))];
    const named = [...new Set(digestsOf(behind).flatMap((one) => optional.get(idOf(one)) ?? []))];
    return {
      ...{ key, cusips: own, options: named, shares: isGone ? null : own },
      before: before?.quarterEnd ?? null,
    };
  });
}

/** A report with what the manager reported before it. */
type Behind = {
  readonly key: ReportKey;
  /** As shown now, else as it was withdrawn. */
  readonly report: ReportDoc | null;
  readonly isGone: boolean;
  readonly before: ListedReport | null;
  /** `before`, where the manager counted by it until it filed this one. */
  readonly followed: ListedReport | null;
};

async function reportsBehind(db: Db, compared: readonly ComparedReport[]): Promise<Behind[]> {
  const ciks = [...new Set(compared.map(({ key }) => key.cik))];
  const [funds, all] = [await fundsById(db, ciks), await reportsOfFunds(db, ciks)];
  return compared.map(({ key, report, withdrawn }) => {
    const { cik, quarterEnd } = key;
    const before = all.get(cik)?.find((one) => one.quarterEnd < quarterEnd) ?? null;
    const fund = funds.get(cik);
    const isLatest = fund === undefined || fund.latestQuarterEnd <= quarterEnd;
    return {
      ...{ key, report: report ?? withdrawn, isGone: report === null },
      before,
      followed: isLatest ? before : null,
    };
  });
}

function pagesOfAll({ report, followed }: Behind): string[] {
  return [
    ...(report === null ? [] : [...pagesOf(report), ...previousPagesOf(report)]),
    ...(followed === null ? [] : pagesOf(followed)),
  ];
}

function digestsOf({ key, report, followed }: Behind): DigestKey[] {
  const shown = report === null ? [] : [report.digest, ...report.previous.map(({ digest }) => digest)];
  return [...shown.map((digest) => ({ ...key, digest })), ...(followed === null ? [] : [followed])];
}

const idOf = (key: DigestKey): string => `${reportId(key)}|${key.digest}`;

async function optionsByReport(db: Db, reports: readonly Behind[]): Promise<Map<string, Cusip[]>> {
  const found = new Map<string, Cusip[]>();
  for (const row of await options.ofKeys(db, reports.flatMap(digestsOf), ALL_OPTION_BUCKETS)) {
    const known = found.get(idOf(row));
    if (known === undefined) found.set(idOf(row), [row.cusip]);
    else known.push(row.cusip);
  }
  return found;
}
