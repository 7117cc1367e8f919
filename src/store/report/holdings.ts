import type { Binary, Collection, Db } from 'mongodb';
import type { Cusip } from '../../domain/ids.ts';
import type { Quality } from '../../domain/quality/quality.ts';
import type { ChangeType } from '../../domain/report/report.ts';
import { AppError } from '../../errors.ts';
import { insertNew } from '../mongo/insert-new.ts';
import { pack, unpack } from '../mongo/packed.ts';
import type { ReportDoc } from './reports.ts';

/** Rows per page document: the largest page of `/funds/{cik}/holdings`, so a request reads two at most. */
export const HOLDINGS_PAGE_ROWS = 500;

/** One equity row in display order, as it goes on the wire but for `ticker`, which is joined when read. */
export type StoredHolding = {
  cusip: Cusip;
  issuer: string;
  shares: string;
  value_cents: string;
  change_type: ChangeType;
  share_delta: string;
  pct_delta: number;
  prior_shares: string;
  prior_value_cents: string;
  weight_pct: number;
  quality: Quality;
  evidence_ids: string[];
};

type HoldingsPageDoc = { _id: string; rows: Binary };

function pagesIn(db: Db): Collection<HoldingsPageDoc> {
  return db.collection<HoldingsPageDoc>('holdings');
}

const pageId = (report: Pick<ReportDoc, '_id' | 'digest'>, page: number): string =>
  `${report._id}|${report.digest}|${String(page).padStart(4, '0')}`;

/** The ids of all pages of the digest that the report shows. */
export function pagesOf(report: Pick<ReportDoc, '_id' | 'digest' | 'pageCount'>): string[] {
  return Array.from({ length: report.pageCount }, (_, page) => pageId(report, page));
}

/** The same for digests that it showed before. */
export function previousPagesOf(report: Pick<ReportDoc, '_id' | 'previous'>): string[] {
  return report.previous.flatMap((shown) => pagesOf({ _id: report._id, ...shown }));
}

/** Writes the rows of a report under its digest. Writing the same digest twice changes nothing. */
export async function writeHoldings(
  db: Db,
  report: Pick<ReportDoc, '_id' | 'digest'>,
  rows: readonly StoredHolding[],
): Promise<number> {
  const pageCount = Math.ceil(rows.length / HOLDINGS_PAGE_ROWS);
  const pages = Array.from({ length: pageCount }, (_, page) => ({
    _id: pageId(report, page),
    rows: pack(rows.slice(page * HOLDINGS_PAGE_ROWS, (page + 1) * HOLDINGS_PAGE_ROWS)),
  }));
  await insertNew(pagesIn(db), pages);
  return pageCount;
}

/**
 * Display rows `[from, from + count)` of a report; empty past the end. Throws `report_in_motion`
 * (503, worth another try) rather than answer with a part of them.
 */
export async function readHoldings(
  db: Db,
  report: ReportDoc,
  range: { readonly from: number; readonly count: number },
): Promise<StoredHolding[]> {
  const first = Math.floor(range.from / HOLDINGS_PAGE_ROWS);
  const last = Math.floor((range.from + range.count - 1) / HOLDINGS_PAGE_ROWS);
  if (range.from >= report.rowTotal) return [];
  const pages = await pagesIn(db)
    .find({ _id: { $in: pagesOf(report).slice(first, last + 1) } })
    .sort({ _id: 1 })
    .toArray();
  const rows = pages.flatMap((page) => unpack<StoredHolding[]>(page.rows));
  const offset = range.from - first * HOLDINGS_PAGE_ROWS;
  const slice = rows.slice(offset, offset + range.count);
  if (slice.length === Math.min(range.count, report.rowTotal - range.from)) return slice;
  throw inMotion(report._id);
}

function inMotion(what: string): AppError {
  return new AppError('report_in_motion', `the rows of ${what} are being replaced`, {
    status: 503,
    retry: true,
    public: 'The report is being replaced at this moment. Ask again.',
  });
}

/** The first page of each report, its largest positions first; throws like {@link readHoldings}. */
export async function firstRowsOf(
  db: Db,
  reports: readonly ReportDoc[],
): Promise<ReadonlyMap<string, StoredHolding[]>> {
  const first = new Map(
    reports.flatMap((report) =>
      pagesOf(report)
        .slice(0, 1)
        .map((page) => [page, report]),
    ),
  );
  const pages = await pagesIn(db)
    .find({ _id: { $in: [...first.keys()] } })
    .toArray();
  if (pages.length !== first.size) throw inMotion('reports');
  return new Map(pages.map((page) => [first.get(page._id)?._id ?? '', unpack<StoredHolding[]>(page.rows)]));
}

/** Removes pages that no digest shown or shown just before has, after the report points at its new one. */
export async function dropPages(db: Db, pages: readonly string[]): Promise<void> {
  if (pages.length > 0) await pagesIn(db).deleteMany({ _id: { $in: [...pages] } });
}

/** The CUSIPs of all rows on the pages; pages that are gone have none. */
export async function cusipsOfPages(db: Db, pages: readonly string[]): Promise<Cusip[]> {
  if (pages.length === 0) return [];
  const docs = await pagesIn(db)
    .find({ _id: { $in: [...pages] } })
    .toArray();
  return docs.flatMap((page) => unpack<StoredHolding[]>(page.rows).map((row) => row.cusip));
}
