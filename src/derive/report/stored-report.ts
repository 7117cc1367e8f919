import type { Db } from 'mongodb';
import type { InfoTableRow, ThirteenF } from '../../domain/filing/filing.ts';
import type { Accession } from '../../domain/ids.ts';
import { NO_VERDICT, type ReportVerdict } from '../../domain/peers/verdict.ts';
import { foldReport } from '../../domain/report/fold.ts';
import type { EffectiveReport } from '../../domain/report/report.ts';
import { AppError } from '../../errors.ts';
import { type FilingDoc, type ReportKey, thirteenFOf } from '../../store/filing/filings.ts';
import { listedFactsFor } from '../../store/security/listed.ts';

/** What a fold reads: together with what other folds read. */
export type FoldReads = {
  /** The filings of the report that are visible. */
  readonly filingsOf: (key: ReportKey) => readonly FilingDoc[];
  readonly rowsOf: (accession: Accession) => InfoTableRow[];
  readonly verdictOf: (key: ReportKey) => Promise<ReportVerdict>;
};

/** The parsed 13F of a stored filing, rows included. */
function loadThirteenF(doc: FilingDoc, { rowsOf }: FoldReads): ThirteenF {
  const content = thirteenFOf(doc);
  if (content === null || doc.rows === null) {
    throw new AppError('not_thirteen_f', `${doc._id} is not a parsed 13F`);
  }
  const { holdingsCount: _count, valueCents: _value, reasons: _reasons, ...filing } = content;
  return { ...filing, rows: rowsOf(doc._id) };
}

/** A report with and without peer verdicts; one object when there are none. */
export type FoldedReport = { readonly report: EffectiveReport; readonly filed: EffectiveReport };

/** The effective report of (manager, quarter) from all its filings that are visible. */
export async function foldStored(db: Db, key: ReportKey, reads: FoldReads): Promise<FoldedReport | null> {
  const verdict = await reads.verdictOf(key);
  const filings = reads.filingsOf(key).map((doc) => loadThirteenF(doc, reads));
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
    moved: verdict.moved,
  });
  return { report: report ?? filed, filed };
}
