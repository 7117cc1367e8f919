import type { Db } from 'mongodb';
import { batches } from '../../domain/group.ts';
import type { Cusip } from '../../domain/ids.ts';
import type { Quality } from '../../domain/quality/quality.ts';
import type { ChangeType } from '../../domain/report/report.ts';
import { type AppError, unavailable } from '../../errors.ts';
import { findByIds } from '../mongo/lists.ts';
import { type PageDoc, pageIds, pagesIn, type Range } from '../mongo/pages.ts';
import { JOURNALED, noteOnce } from '../mongo/write.ts';
import type { ReportDoc } from './reports.ts';

/** Rows per page: the largest page of `/funds/{cik}/holdings`, so that a request reads two at most. */
export const HOLDINGS_PAGE_ROWS = 500;

/** One equity row in display order, as it goes on the wire. Readers add the `ticker`. */
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

const pages = pagesIn<StoredHolding>('holdings', HOLDINGS_PAGE_ROWS);

type Shown = Pick<ReportDoc, '_id' | 'digest'>;

const listOf = ({ _id, digest }: Shown): string => `${_id}|${digest}`;

/** The ids of all pages of the rows that the report shows. */
export function pagesOf(report: Pick<ReportDoc, '_id' | 'digest' | 'pageCount'>): string[] {
  return pageIds(listOf(report), Number(report.pageCount));
}

/** The same for rows that it showed before. */
export function previousPagesOf(report: Pick<ReportDoc, '_id' | 'previous'>): string[] {
  return report.previous.flatMap((shown) => pagesOf({ _id: report._id, ...shown }));
}

/** The rows of each page of a report as JSON, for its digest and for {@link holdingPages}. */
export const holdingTexts = pages.textsOf;

/** The pages of a report with these rows, for {@link insertHoldings}. */
export function holdingPages(report: Shown, texts: readonly string[]): PageDoc[] {
  return pages.docsOfTexts(listOf(report), texts);
}

/** Inserting the same pages twice changes nothing. */
export const insertHoldings = pages.insert;

/**
 * Display rows `[from, from + count)` of a report, empty past the end. Throws `report_in_motion`
 * (503, retryable) when a page is missing.
 */
export async function readHoldings(db: Db, report: ReportDoc, range: Range): Promise<StoredHolding[]> {
  const list = { id: listOf(report), total: Number(report.rowTotal) };
  const rows = await pages.readRange(db, list, range);
  if (rows !== null) return rows;
  throw inMotion(report._id);
}

/** The first page of each report, its largest positions first. Throws like {@link readHoldings}. */
export async function firstRowsOf(db: Db, reports: readonly ReportDoc[]) {
  const first = new Map(
    reports.flatMap((report) =>
      pagesOf(report)
        .slice(0, 1)
        .map((page) => [page, report._id]),
    ),
  );
  const rows = await pages.readEach(db, [...first.keys()]);
  if (rows.size !== first.size) throw inMotion('reports');
  return new Map([...rows].map(([page, own]) => [first.get(page) ?? '', own]));
}

/** All rows of each report, by its id; a report that lacks a page is left out. */
export async function readRowsOf(
  db: Db,
  reports: readonly Pick<ReportDoc, '_id' | 'digest' | 'pageCount'>[],
) {
  const found = await pages.readEach(db, reports.flatMap(pagesOf));
  const whole = reports.flatMap((report): [string, StoredHolding[]][] => {
    const rows = pagesOf(report).map((page) => found.get(page));
    return rows.includes(undefined) ? [] : [[report._id, rows.flatMap((page) => page ?? [])]];
  });
  return new Map(whole);
}

export function inMotion(what: string): AppError {
  return unavailable('report_in_motion', `the rows of ${what} are being replaced`, {
    public: 'The report is being replaced at this moment. Ask again.',
  });
}

/** Those of the pages that are stored. */
export const storedPages = pages.existing;

/** Removes pages that no report shows or showed just before. */
export const dropPages = pages.drop;

/** Pages that are unpacked at once: their rows are in memory, and only their CUSIPs stay. */
const PAGES_AT_ONCE = 20;

/** The CUSIPs of the rows on each page; pages that do not exist are left out. */
export async function cusipsByPage(db: Db, ids: readonly string[]): Promise<Map<string, readonly Cusip[]>> {
  const cusips = new Map<string, readonly Cusip[]>();
  for (const batch of batches([...new Set(ids)], PAGES_AT_ONCE)) {
    for (const [page, rows] of await pages.readEach(db, batch)) {
      const own = rows.map(({ cusip }) => cusip);
      cusips.set(page, own);
    }
  }
  return cusips;
}

/** The CUSIPs of all rows on the pages. Pages that do not exist have none. */
export async function cusipsOfPages(db: Db, ids: readonly string[]): Promise<Cusip[]> {
  return (await pages.read(db, ids)).map(({ cusip }) => cusip);
}

/**
 * The CUSIPs of each report's rows with shares and of those without, each once, by the id of the report.
 * Throws like {@link readHoldings}.
 */
export async function securitiesOf(
  db: Db,
  reports: readonly Pick<ReportDoc, '_id' | 'digest' | 'pageCount' | 'rowTotal'>[],
) {
  const found = await readRowsOf(db, reports);
  return new Map(
    reports.map(({ _id, rowTotal }) => {
      const rows = found.get(_id);
      if (rows?.length !== Number(rowTotal)) throw inMotion(_id);
      const cusipsOf = (isHeld: boolean): Cusip[] => [
        ...new Set(rows.filter(({ shares }) => (shares !== '0') === isHeld).map(({ cusip }) => cusip)),
      ];
      return [_id, { held: cusipsOf(true), exited: cusipsOf(false) }] as const;
    }),
  );
}

/** CUSIPs of shares or options in some report: a ticker that is mapped to one of them later needs a brief. */
type HeldDoc = { _id: Cusip };

const heldIn = (db: Db) => db.collection<HeldDoc>('held_cusips');

const held = noteOnce<HeldDoc>(heldIn, JOURNALED);

export async function noteHeld(db: Db, cusips: readonly Cusip[]): Promise<void> {
  const docs = cusips.map((_id) => ({ _id }));
  await held.note(db, docs);
}

/** Those of one issuer, in order. */
export async function heldOfIssuer(db: Db, issuer: string): Promise<Cusip[]> {
  const range = { $gte: issuer as Cusip, $lt: `${issuer}~` as Cusip };
  return (await heldIn(db).find({ _id: range }).sort({ _id: 1 }).toArray()).map(({ _id }) => _id);
}

export async function heldAmong(db: Db, cusips: readonly Cusip[]): Promise<Cusip[]> {
  return (await findByIds(heldIn(db), cusips)).map(({ _id }) => _id);
}
