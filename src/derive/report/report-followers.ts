import type { Db } from 'mongodb';
import { readsReports } from '../../domain/brief/input.ts';
import { LAST_LANE, type Lane } from '../../domain/filing/lane.ts';
import { SUCCESSIONS } from '../../domain/filing/manager.ts';
import { groupBy } from '../../domain/group.ts';
import type { Cusip, QuarterEnd, Ticker } from '../../domain/ids.ts';
import { nextQuarterEnd } from '../../domain/quarter.ts';
import { cusipCheckDigitOk, misprintsOf } from '../../domain/security/cusip.ts';
import { relatedCusips } from '../../read/holders/security-history.ts';
import { filingsOfReports, type ReportKey, reportId, reportIdOf } from '../../store/filing/filings.ts';
import { invalidate, invalidateBriefs, raiseStamps } from '../../store/invalidation/invalidate.ts';
import { publishedQuarter, republishCorpus } from '../../store/publish/corpus.ts';
import { invalidateBoard } from '../../store/publish/leaderboard.ts';
import { cusipsByPage, noteHeld, pagesOf, previousPagesOf } from '../../store/report/holdings.ts';
import { ALL_OPTION_BUCKETS, options } from '../../store/report/positions.ts';
import { raiseQuarterStamps } from '../../store/report/quarter-reports.ts';
import {
  type ListedReport,
  lastTable,
  type ReportDoc,
  reportsIn,
  reportsOfFunds,
} from '../../store/report/reports.ts';
import type { DigestKey } from '../../store/report/slices.ts';
import { symbolsOfCusips } from '../../store/security/securities.ts';
import { peersQuarters } from '../peers/peers-followers.ts';
import { invalidateSearchOfReports } from '../search/invalidate-search.ts';

/**
 * Invalidates what saved reports change, once for all of them: the comparisons of the next quarter, where one
 * was filed; the peers of the quarters around them; the leaderboard; the search; and the briefs that may read them,
 * of every security in the rows shown now, shown before, and in the reports that the manager counted by. That is
 * more than needed: a brief built twice is the same brief. Where a report is left no more, the corpus is published
 * again, because a crash may have lost `withdrawn`. Reports and briefs follow in the lane of the reports.
 */
export async function invalidateReportFollowers(
  db: Db,
  compared: readonly ComparedReport[],
  lane: Lane = LAST_LANE,
) {
  // Also where another worker saved them and died: who follows a report must not find an older list of its quarter.
  const ends = compared.map(({ key }) => key.quarterEnd);
  await raiseQuarterStamps(db, ends);
  // Without this a change of 1999 would walk through every quarter since.
  const moved = compared.filter(({ report }) => report?.followersInvalidated !== true);
  const reports = (await comparedWith(db, keysOf(moved))).map(reportId);
  await invalidate(db, { kind: 'report', lane, unmoved: true }, reports);
  // Another verdict, or another report before it, leaves the report as filed: peers need no second look.
  const filed = compared.filter(({ report }) => report?.filed.followersInvalidated !== true);
  const quarters = new Set(keysOf(filed).flatMap(({ quarterEnd }) => peersQuarters(quarterEnd)));
  await invalidate(db, 'peers', [...quarters]);
  const touched = await touchedSecurities(db, compared);
  await noteHeld(db, [...new Set(touched.flatMap(({ cusips, options: named }) => [...cusips, ...named]))]);
  const tickers = await invalidateBriefsOf(db, touched, lane);
  await invalidateBoard(db);
  await invalidateSearchOfReports(db, touched);
  if (compared.some(({ report }) => report === null)) await republishCorpus(db);
  const shown = compared.flatMap(({ report }) => report ?? []);
  await noteFollowersInvalidated(db, shown);
  return { reports, tickers };
}

/** No brief says anything of a report before those that it reads, unless it is its manager's last one (rule 13.7). */
async function invalidateBriefsOf(db: Db, touched: readonly Touched[], lane: Lane): Promise<Ticker[]> {
  const latest = await publishedQuarter(db);
  const isRead = ({ key, isPast }: Touched): boolean => !isPast || readsReports(latest, key.quarterEnd);
  const tickers = await tickersOf(db, touched.filter(isRead));
  await invalidateBriefs(db, tickers, { lane });
  const past = touched.filter((one) => !isRead(one));
  await raiseStamps(db, 'brief', await tickersOf(db, past));
  return tickers;
}

const keysOf = (compared: readonly ComparedReport[]): ReportKey[] => compared.map(({ key }) => key);

/**
 * By the quarter: what filers said until then decides which CUSIPs are one security. A misprint may be of any that it
 * resembles.
 */
async function tickersOf(db: Db, touched: readonly Touched[]): Promise<Ticker[]> {
  const tickers = new Set<Ticker>();
  for (const [quarterEnd, own] of groupBy(touched, ({ key }) => key.quarterEnd)) {
    const named = own.flatMap(({ cusips, options: optional }) => [...cusips, ...optional]);
    const mistyped = own.flatMap(({ cusips }) => cusips.filter((cusip) => !cusipCheckDigitOk(cusip)));
    const all = new Set([...named, ...mistyped.flatMap(misprintsOf)]);
    const related = await relatedCusips(db, quarterEnd, [...all]);
    for (const ticker of await symbolsOfCusips(db, related)) tickers.add(ticker);
  }
  return [...tickers];
}

/** The reports that were filed and whose prior report is, or may be, one of these (rule 5.1). */
async function comparedWith(db: Db, keys: readonly ReportKey[]): Promise<ReportKey[]> {
  const next = keys.flatMap(nextKeys);
  const found = await filingsOfReports(db, next, { cik: 1, 'content.kind': 1, 'content.quarterEnd': 1 });
  const filed = new Set(found.map(reportIdOf));
  return next.filter((key) => filed.has(reportId(key)));
}

function nextKeys({ cik, quarterEnd }: ReportKey): ReportKey[] {
  const next = nextQuarterEnd(quarterEnd);
  const successors = SUCCESSIONS.filter(
    ({ predecessor, firstQuarterEnds }) => predecessor === cik && firstQuarterEnds.includes(next),
  );
  return [cik, ...successors.map((one) => one.cik)].map((one) => ({ cik: one, quarterEnd: next }));
}

/** A report as it is shown now, null where it was withdrawn, and as it was shown before. */
type ComparedReport = {
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
async function touchedSecurities(db: Db, compared: readonly ComparedReport[]): Promise<Touched[]> {
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

/**
 * Notes that everything that follows from these rows was invalidated, for their edition, so that older rows need not
 * be kept.
 */
export async function noteFollowersInvalidated(db: Db, reports: readonly ReportDoc[]): Promise<void> {
  if (reports.length === 0) return;
  const done = { followersInvalidated: true, 'filed.followersInvalidated': true };
  const writes = reports.map(({ _id, digest, filed, edition }) => {
    const filter = { _id, digest, 'filed.digest': filed.digest };
    return { updateOne: { filter, update: { $set: { ...done, edition } } } };
  });
  await reportsIn(db).bulkWrite(writes, { ordered: false });
}
