import type { Db } from 'mongodb';
import type { ThirteenF } from '../../domain/filing/filing.ts';
import type { IsoDate } from '../../domain/ids.ts';
import { NO_VERDICT } from '../../domain/peers/verdict.ts';
import { foldReport } from '../../domain/report/fold.ts';
import type { EffectiveReport } from '../../domain/report/report.ts';
import { AppError } from '../../errors.ts';
import { type FilingDoc, filingsOfReport, type ReportKey, thirteenFOf } from '../../store/filing/filings.ts';
import { readRows } from '../../store/filing/rows.ts';
import { findVerdict } from '../../store/peers/verdicts.ts';
import { listedFactsFor } from '../../store/security/listed.ts';

/** The parsed 13F of a stored filing, rows included. Throws `rows_missing` (retryable). */
export async function loadThirteenF(db: Db, doc: FilingDoc): Promise<ThirteenF> {
  const content = thirteenFOf(doc);
  if (content === null || doc.rows === null) {
    throw new AppError('not_thirteen_f', `${doc._id} is not a parsed 13F`);
  }
  const { holdingsCount: _count, valueCents: _value, reasons: _reasons, ...filing } = content;
  return { ...filing, rows: await readRows(db, doc._id, doc.rows) };
}

/** A report with and without peer verdicts; one object when there are none. */
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
    moved: verdict.moved,
  });
  return { report: report ?? filed, filed };
}
