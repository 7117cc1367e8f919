import type { Db } from 'mongodb';
import type { Cusip, QuarterEnd } from '../../domain/ids.ts';
import { type ReportKey, reportId } from '../../store/filing/filings.ts';
import { cusipsByPage, pagesOf, previousPagesOf } from '../../store/report/holdings.ts';
import { ALL_OPTION_BUCKETS, options } from '../../store/report/positions.ts';
import { type ListedReport, lastTable, type ReportDoc, reportsOfFunds } from '../../store/report/reports.ts';
import type { DigestKey } from '../../store/report/slices.ts';

/** A report as it is shown now, null where it was withdrawn, and as it was shown before. */
export type ComparedReport = {
  readonly key: ReportKey;
  readonly report: ReportDoc | null;
  readonly before: ReportDoc | null;
};

/** The securities behind which a report stands, or stood. */
export type Touched = {
  readonly key: ReportKey;
  /** Of shares; null for a report that is gone: its securities are not known any more. */
  readonly shares: readonly Cusip[] | null;
  readonly cusips: readonly Cusip[];
  readonly options: readonly Cusip[];
  /** The manager counts by a later table already: no brief says anything of this report as its last one. */
  readonly isPast: boolean;
  /**
   * The quarters of the manager's report before this one, and of those that it counted by until this one; none of
   * a restated report.
   */
  readonly before: readonly QuarterEnd[];
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
    const { key, before, followed, isGone, isPast } = behind;
    const own = [...new Set(pagesOfAll(behind).flatMap((page) => cusips.get(page) ?? []))];
    const named = [...new Set(digestsOf(behind).flatMap((one) => optional.get(idOf(one)) ?? []))];
    return {
      ...{ key, cusips: own, options: named, shares: isGone ? null : own, isPast },
      before: [...new Set([before ?? [], followed].flat().map(({ quarterEnd }) => quarterEnd))],
    };
  });
}

/** A report with what the manager reported before it. */
type Behind = {
  readonly key: ReportKey;
  /** As shown now, else as it was withdrawn. */
  readonly report: ReportDoc | null;
  readonly isGone: boolean;
  readonly isPast: boolean;
} & Earlier;

type Earlier = {
  readonly before: ListedReport | null;
  /** The reports that the manager counted by, or may have counted by, until it filed this one. */
  readonly followed: readonly ListedReport[];
};

const NOTHING_EARLIER: Earlier = { before: null, followed: [] };

async function reportsBehind(db: Db, compared: readonly ComparedReport[]): Promise<Behind[]> {
  const ciks = [...new Set(compared.map(({ key }) => key.cik))];
  const all = await reportsOfFunds(db, ciks);
  return compared.map((one) => {
    const { key, report } = one;
    const reports = all.get(key.cik) ?? [];
    return {
      ...{ key, report: report ?? one.before, isGone: report === null },
      ...(isRestated(one) ? NOTHING_EARLIER : earlierThan(key.quarterEnd, reports)),
      isPast: report !== null && isPastOf(key.quarterEnd, reports),
    };
  });
}

/**
 * Whether the report is a whole table that directly replaced another one whose followers were invalidated. Its manager
 * counted by that one, and by none before it. With another name of the manager, or where the rows are the same and
 * something else changed, it touches what a first report does, because lists name the manager.
 */
function isRestated({ report, before }: ComparedReport): boolean {
  if (report?.state !== 'holdings' || before?.state !== 'holdings') return false;
  const [last, ...others] = report.previous;
  const isDirect = last?.digest === before.digest && others.length === 0 && report.digest !== before.digest;
  return isDirect && before.followersInvalidated && report.managerName === before.managerName;
}

function earlierThan(until: QuarterEnd, reports: readonly ListedReport[]): Earlier {
  const before = reports.find(({ quarterEnd }) => quarterEnd < until) ?? null;
  return { before, followed: followedUntil(until, reports) };
}

/**
 * The reports before a quarter, back to the report that the manager certainly counted by: the last one whose followers
 * were invalidated. Reports in between may have been shown with it or just before it, and a notice has no rows. None
 * where the manager already counted by a later table; where it had no table and counted by a later supplement, only
 * that supplement.
 */
function followedUntil(until: QuarterEnd, reports: readonly ListedReport[]): ListedReport[] {
  const counted = lastTable(reports.filter((one) => one.quarterEnd !== until && one.followersInvalidated));
  if (counted !== undefined && counted.quarterEnd > until)
    return counted.state === 'holdings' ? [] : [counted];
  return reports.filter(({ quarterEnd }) => quarterEnd < until && quarterEnd >= (counted?.quarterEnd ?? ''));
}

/** A later supplement alone does not do: its manager counts by a whole table, however old. */
function isPastOf(quarterEnd: QuarterEnd, reports: readonly ListedReport[]): boolean {
  return reports.some(
    (one) => one.quarterEnd > quarterEnd && one.state === 'holdings' && one.followersInvalidated,
  );
}

function pagesOfAll({ report, followed }: Behind): string[] {
  return [...(report === null ? [] : [report]), ...followed].flatMap((one) => [
    ...pagesOf(one),
    ...previousPagesOf(one),
  ]);
}

function digestsOf({ report, followed }: Behind): DigestKey[] {
  return [...(report === null ? [] : [report]), ...followed].flatMap(
    ({ cik, quarterEnd, digest, previous }) =>
      [digest, ...previous.map((shown) => shown.digest)].map((one) => ({ cik, quarterEnd, digest: one })),
  );
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
