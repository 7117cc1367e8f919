import type { Db } from 'mongodb';
import type { ThirteenF } from '../../domain/filing/filing.ts';
import type { IsoDate } from '../../domain/ids.ts';
import { NO_VERDICT } from '../../domain/peers/verdict.ts';
import { foldReport } from '../../domain/report/fold.ts';
import { equityCount } from '../../domain/report/holding.ts';
import type { EffectiveReport } from '../../domain/report/report.ts';
import { AppError } from '../../errors.ts';
import {
  type FilingDoc,
  filingsOfReport,
  type ReportKey,
  type ThirteenFSummary,
} from '../../store/filing/filings.ts';
import { readRows, writeRows } from '../../store/filing/rows.ts';
import { requireInt64 } from '../../store/mongo/int64.ts';
import { findVerdict } from '../../store/peers/verdicts.ts';
import { listedFactsFor } from '../../store/security/listed.ts';

/**
 * Stores the rows and answers the rest of the filing for its document. Throws `value_out_of_range`
 * (not retryable) when a total does not fit 64 bits: no real report is worth a trillion dollars a row.
 */
export async function saveThirteenF(
  db: Db,
  filing: ThirteenF,
  source: { readonly parserVersion: string; readonly raw: string },
): Promise<ThirteenFSummary> {
  const alone = foldReport([filing]);
  const { accession } = filing.header;
  const valueCents = alone?.positions.reduce((sum, position) => sum + position.valueCents, 0n) ?? 0n;
  requireInt64(accession, [valueCents, filing.declaredValueTotal ?? 0n]);
  const rowsVersion = `${source.parserVersion}|${source.raw.slice(0, 16)}`;
  const rowPages = await writeRows(db, { accession, rowsVersion }, filing.rows);
  const { rows, kind: _kind, ...cover } = filing;
  return {
    ...cover,
    rowCount: rows.length,
    rowPages,
    rowsVersion,
    holdingsCount: alone === null ? 0 : equityCount(alone),
    valueCents,
    reasons: [...(alone?.reasons ?? [])],
  };
}

/** The parsed 13F of a stored filing, rows included. */
export async function loadThirteenF(db: Db, doc: FilingDoc): Promise<ThirteenF> {
  if (doc.thirteenF === null) {
    throw new AppError('not_thirteen_f', `${doc._id} is not a parsed 13F`);
  }
  const {
    rowCount,
    rowPages,
    rowsVersion,
    holdingsCount: _count,
    valueCents: _value,
    reasons: _reasons,
    ...cover
  } = doc.thirteenF;
  const rows = await readRows(db, { accession: doc._id, rowsVersion }, rowPages);
  if (rows.length !== rowCount) {
    throw new AppError('rows_missing', `${doc._id}: ${rows.length} of ${rowCount} rows are stored`, {
      retry: true,
    });
  }
  return { ...cover, kind: 'thirteen_f', rows };
}

/** A report, and the same without anything that other filers tell: one object where they tell nothing. */
export type FoldedReport = { readonly report: EffectiveReport; readonly filed: EffectiveReport };

/** The effective report of (manager, quarter) from all its stored filings that exist on `asOf`. */
export async function foldStored(db: Db, key: ReportKey, asOf: IsoDate): Promise<FoldedReport | null> {
  const [docs, verdict] = await Promise.all([filingsOfReport(db, key, asOf), findVerdict(db, key)]);
  const filings = await Promise.all(docs.map((doc) => loadThirteenF(db, doc)));
  const cusips = filings.flatMap(({ rows }) => rows.flatMap(({ cusip }) => cusip ?? []));
  const listed = await listedFactsFor(db, key, cusips);
  const filed = foldReport(filings, listed);
  if (filed === null) return null;
  if (verdict === NO_VERDICT) return { report: filed, filed };
  const report = foldReport(filings, {
    ...listed,
    scales: new Map(verdict.scales.map((scale) => [scale.accession, scale])),
    outliers: new Set(verdict.outliers),
    identicalTo: verdict.identicalTo,
    predecessor: verdict.predecessor,
  });
  return { report: report ?? filed, filed };
}
