import type { Collection, Db } from 'mongodb';
import type { OtherManager } from '../../domain/filing/filing.ts';
import type { Accession, Cik, QuarterEnd } from '../../domain/ids.ts';
import type { PublishedAt, ReportFiling } from '../../domain/report/report.ts';
import type { ReportSummary } from '../../domain/report/summary.ts';
import { type ReportKey, reportId } from '../filing/filings.ts';
import { findByIds, MANY } from '../mongo/by-ids.ts';
import { outdated } from '../mongo/outdated.ts';

/**
 * The effective report of (manager, quarter) and its comparison with the quarter before. The rows
 * stand in `holdings.ts` under `digest`, so that this one document switches all of them at once.
 */
export type ReportDoc = ReportSummary & {
  /** `<cik>|<quarter end>` */
  _id: string;
  cik: Cik;
  quarterEnd: QuarterEnd;
  /** Version of the inputs that it was folded from; only moves forward. */
  version: number;
  /** SHA-256 over the rows, positions, state, filings and reasons; part of the pages' and positions' ids. */
  digest: string;
  filed: FiledSummary;
  /** Versions that were shown since the last one whose followers were marked, that one included. */
  previous: ShownRows[];
  /** Every brief that this digest touches was marked; false after a crash in between. */
  followersInvalidated: boolean;
  state: 'holdings' | 'notice' | 'incomparable';
  reportType: 'holdings' | 'notice' | 'combination';
  managerName: string;
  filings: ReportFiling[];
  newest: ReportFiling;
  isAmended: boolean;
  confidentialOmitted: boolean;
  reportedBy: OtherManager[];
  includes: OtherManager[];
  priorQuarterEnd: QuarterEnd;
  priorAccessions: Accession[];
  comparable: boolean;
  /** Display rows, exited ones included: the total of `/funds/{cik}/holdings`. */
  rowTotal: number;
  pageCount: number;
  publishedAt: PublishedAt;
};

/** The report as filed: what the peers of filers is computed from (see `filed-books.ts`). */
export type FiledSummary = {
  digest: string;
  /** A table whose shares are known: an absence from it means that nothing is held. */
  isComparable: boolean;
  /** Equity positions in the book of the digest. */
  positions: number;
};

export type ShownRows = { digest: string; pageCount: number };

export function reportsIn(db: Db): Collection<ReportDoc> {
  return db.collection<ReportDoc>('reports');
}

export async function findReport(db: Db, key: ReportKey): Promise<ReportDoc | null> {
  return reportsIn(db).findOne({ _id: reportId(key) });
}

/**
 * What the report was as filed. Throws `store_outdated` of one that was stored before there was such a
 * thing: nothing that is stored with it can be read as it is today either.
 */
export function requireFiled(report: { readonly _id: string; readonly filed?: FiledSummary }): FiledSummary {
  if (report.filed !== undefined) return report.filed;
  throw outdated(`the report ${report._id}`);
}

/** All quarters of a manager, the latest first. */
export async function reportsOfFund(db: Db, cik: Cik): Promise<ReportDoc[]> {
  return reportsIn(db).find({ cik }).sort({ quarterEnd: -1 }).toArray();
}

/** Reports of one quarter by their managers; a manager without one is left out. */
export async function reportsOfQuarter(
  db: Db,
  quarterEnd: QuarterEnd,
  ciks: readonly Cik[],
): Promise<Map<Cik, ReportDoc>> {
  const wanted = new Set(ciks);
  const docs =
    wanted.size < MANY
      ? await findByIds(
          reportsIn(db),
          [...wanted].map((cik) => reportId({ cik, quarterEnd })),
        )
      : await reportsIn(db).find({ quarterEnd }).toArray();
  return new Map(docs.filter(({ cik }) => wanted.has(cik)).map((doc) => [doc.cik, doc]));
}
