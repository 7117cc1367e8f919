import type { Binary, Collection, Db } from 'mongodb';
import type { Quality } from '../domain/quality.ts';
import type { ChangeType } from '../domain/report.ts';
import { pack, unpack } from './packed.ts';
import type { ReportDoc } from './reports.ts';

/** Rows per page document: the largest page of `/funds/{cik}/holdings`, so a request reads two at most. */
export const HOLDINGS_PAGE_ROWS = 500;

/** One equity row in display order, as it goes on the wire but for `ticker`, which is joined when read. */
export type StoredHolding = {
  cusip: string;
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

const pageId = (report: Pick<ReportDoc, '_id' | 'version'>, page: number): string =>
  `${report._id}|${report.version}|${String(page).padStart(4, '0')}`;

/** Writes the rows of a report under its version. Writing the same version twice changes nothing. */
export async function writeHoldings(
  db: Db,
  report: Pick<ReportDoc, '_id' | 'version'>,
  rows: readonly StoredHolding[],
): Promise<number> {
  const pageCount = Math.ceil(rows.length / HOLDINGS_PAGE_ROWS);
  const writes = Array.from({ length: pageCount }, (_, page) => ({
    replaceOne: {
      filter: { _id: pageId(report, page) },
      replacement: { rows: pack(rows.slice(page * HOLDINGS_PAGE_ROWS, (page + 1) * HOLDINGS_PAGE_ROWS)) },
      upsert: true,
    },
  }));
  if (writes.length > 0) await pagesIn(db).bulkWrite(writes, { ordered: false });
  return pageCount;
}

/** Display rows `[from, from + count)` of a report; empty past the end. */
export async function readHoldings(
  db: Db,
  report: ReportDoc,
  range: { readonly from: number; readonly count: number },
): Promise<StoredHolding[]> {
  const first = Math.floor(range.from / HOLDINGS_PAGE_ROWS);
  const last = Math.floor((range.from + range.count - 1) / HOLDINGS_PAGE_ROWS);
  if (first >= report.pageCount) return [];
  const pages = await pagesIn(db)
    .find({ _id: { $gte: pageId(report, first), $lte: pageId(report, last) } })
    .sort({ _id: 1 })
    .toArray();
  const rows = pages.flatMap((page) => unpack<StoredHolding[]>(page.rows));
  const offset = range.from - first * HOLDINGS_PAGE_ROWS;
  return rows.slice(offset, offset + range.count);
}

/** Removes the pages of other versions of the report, after it points at `version`. */
export async function dropOtherVersions(db: Db, report: Pick<ReportDoc, '_id' | 'version'>): Promise<void> {
  const all = await pagesIn(db)
    .find({ _id: { $gte: `${report._id}|`, $lt: `${report._id}}` } }, { projection: { _id: 1 } })
    .toArray();
  const stale = all
    .map((page) => page._id)
    .filter((id) => !id.startsWith(`${report._id}|${report.version}|`));
  if (stale.length > 0) await pagesIn(db).deleteMany({ _id: { $in: stale } });
}
