import type { Db } from 'mongodb';
import type { EvidenceSource } from '../../domain/brief/input.ts';
import { compare } from '../../domain/compare.ts';
import type { OtherManager } from '../../domain/filing/filing.ts';
import { groupBy } from '../../domain/group.ts';
import type { Accession, Cik, QuarterEnd } from '../../domain/ids.ts';
import type { ReportSummary } from '../../domain/report/holding.ts';
import type { PublishedAt, ReportFiling } from '../../domain/report/report.ts';
import { type ReportKey, reportId } from '../filing/filings.ts';
import { findAmong, findByIds } from '../mongo/lists.ts';

/**
 * The effective report of (manager, quarter) and its comparison with the quarter before. Its rows
 * are stored under `digest` (see `holdings.ts`), so that this one document switches all of them at once.
 */
export type ReportDoc = ReportSummary & {
  /** `<cik>|<quarter end>` */
  _id: string;
  cik: Cik;
  quarterEnd: QuarterEnd;
  /** Version of the invalidation that it was computed for; only moves forward. */
  version: number;
  /** Of the last invalidation after which its followers were invalidated (rule 13.3). */
  edition: number;
  /** Of rows, positions, state, filings and reasons; part of the ids of pages and positions. */
  digest: string;
  filed: FiledSummary;
  /** Rows that were shown since the last ones whose followers were invalidated, those included. */
  previous: { digest: string; pageCount: number }[];
  /** Every brief that this digest touches was invalidated; false after a crash in between. */
  followersInvalidated: boolean;
  state: 'holdings' | 'notice' | 'incomparable';
  reportType: 'holdings' | 'notice' | 'combination';
  managerName: string;
  filings: ReportFiling[];
  /**
   * The same filings as a brief cites them. A report is saved again whenever one of them is read again, so it says
   * what they say. No part of `digest`: when they were fetched is no content.
   */
  evidence: EvidenceSource[];
  newest: ReportFiling;
  isAmended: boolean;
  confidentialOmitted: boolean;
  reportedBy: OtherManager[];
  includes: OtherManager[];
  /** Names of the managers between whose reports and this one positions may have moved; left out when none did. */
  movedWith?: string[];
  priorQuarterEnd: QuarterEnd;
  priorAccessions: Accession[];
  comparable: boolean;
  /** Display rows, exited ones included: the total of `/funds/{cik}/holdings`. */
  rowTotal: number;
  pageCount: number;
  publishedAt: PublishedAt;
};

/** The report as filed: the input of the peers (see `filed-reports.ts`). */
type FiledSummary = {
  digest: string;
  /** The peers of every quarter that it is an input of were invalidated; false after a crash in between. */
  followersInvalidated: boolean;
};

/** A report to compare: version and edition of its invalidation were read before what it is computed from. */
export type PendingReport = {
  readonly key: ReportKey;
  readonly version: number;
  readonly edition: number;
};

export const reportsIn = (db: Db) => db.collection<ReportDoc>('reports');

export async function findReport(db: Db, key: ReportKey): Promise<ReportDoc | null> {
  return reportsIn(db).findOne({ _id: reportId(key) });
}

/** Reports by their ids; those without one are left out. */
export async function reportsById(db: Db, keys: readonly ReportKey[]): Promise<Map<string, ReportDoc>> {
  const docs = await findByIds(reportsIn(db), keys.map(reportId));
  return new Map(docs.map((doc) => [doc._id, doc]));
}

/** All reports of some managers without their filings, by manager, the latest first. */
export async function reportsOfFunds(db: Db, ciks: Iterable<Cik>): Promise<Map<Cik, ListedReport[]>> {
  const docs: ListedReport[] = await findAmong(reportsIn(db), {
    field: 'cik',
    values: ciks,
    projection: LISTED,
  });
  const newestFirst = docs.sort((a, b) => compare(b.quarterEnd, a.quarterEnd));
  return groupBy(newestFirst, ({ cik }) => cik);
}

/** What `/funds` needs of a report, and what says which rows its manager counted by. */
export type ListedReport = Pick<
  ReportDoc,
  | '_id'
  | 'cik'
  | 'quarterEnd'
  | 'digest'
  | 'state'
  | 'managerName'
  | 'aumCents'
  | 'weighedCents'
  | 'holdingsCount'
  | 'pageCount'
  | 'rowTotal'
  | 'previous'
  | 'followersInvalidated'
>;

const LISTED: Record<keyof ListedReport, 1> = {
  _id: 1,
  cik: 1,
  quarterEnd: 1,
  digest: 1,
  state: 1,
  managerName: 1,
  aumCents: 1,
  weighedCents: 1,
  holdingsCount: 1,
  pageCount: 1,
  rowTotal: 1,
  previous: 1,
  followersInvalidated: 1,
};

/** All quarters of a manager, the latest first. */
export async function reportsOfFund(db: Db, cik: Cik): Promise<ReportDoc[]> {
  return reportsIn(db).find({ cik }).sort({ quarterEnd: -1 }).toArray();
}

/** The last of a manager's reports that it counts by, of reports with the latest first. */
export function lastTable<T extends Pick<ReportDoc, 'state'>>(reports: readonly T[]): T | undefined {
  // A manager with nothing but supplements is listed by them: their positions are in briefs.
  return (
    reports.find(({ state }) => state === 'holdings') ?? reports.find(({ state }) => state === 'incomparable')
  );
}

/** What its positions are read by. */
export type ShowingReport = Pick<
  ReportDoc,
  | '_id'
  | 'cik'
  | 'quarterEnd'
  | 'digest'
  | 'managerName'
  | 'filings'
  | 'evidence'
  | 'newest'
  | 'comparable'
  | 'priorAccessions'
  | 'aumCents'
  | 'weighedCents'
  | 'movedWith'
>;

const SHOWING: Record<keyof ShowingReport, 1> = {
  _id: 1,
  cik: 1,
  quarterEnd: 1,
  digest: 1,
  managerName: 1,
  filings: 1,
  evidence: 1,
  newest: 1,
  comparable: 1,
  priorAccessions: 1,
  aumCents: 1,
  weighedCents: 1,
  movedWith: 1,
};

/** Reports of one quarter by their managers; a manager without one is left out. */
export async function reportsOfQuarter(
  db: Db,
  quarterEnd: QuarterEnd,
  ciks: readonly Cik[],
): Promise<Map<Cik, ShowingReport>> {
  const ids = ciks.map((cik) => reportId({ cik, quarterEnd }));
  const docs: ShowingReport[] = await findByIds(reportsIn(db), ids, SHOWING);
  return new Map(docs.map((doc) => [doc.cik, doc]));
}

/** Whether any manager has a report of the quarter. */
export async function hasReports(db: Db, quarterEnd: QuarterEnd): Promise<boolean> {
  return (await reportsIn(db).findOne({ quarterEnd }, { projection: { _id: 1 } })) !== null;
}

/** Every quarter with a report, the oldest first. */
export async function reportedQuarters(db: Db): Promise<QuarterEnd[]> {
  return (await reportsIn(db).distinct('quarterEnd')).sort();
}
