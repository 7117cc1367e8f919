import type { Db } from 'mongodb';
import type { InfoTableRow, ThirteenF } from '../../domain/filing/filing.ts';
import type { Accession, IsoDate } from '../../domain/ids.ts';
import { NO_VERDICT, type ReportVerdict } from '../../domain/peers/verdict.ts';
import { foldReport } from '../../domain/report/fold.ts';
import type { EffectiveReport } from '../../domain/report/report.ts';
import { AppError } from '../../errors.ts';
import { type FilingDoc, filingsOfReport, type ReportKey, thirteenFOf } from '../../store/filing/filings.ts';
import { readRows, type StoredRows } from '../../store/filing/rows.ts';
import { findVerdict } from '../../store/peers/verdicts.ts';
import { listedFactsFor } from '../../store/security/listed.ts';

/** What a fold reads: from the store, or together with what others read. */
export type FoldReads = {
  /** The filings of the report that are visible. */
  readonly filingsOf: (key: ReportKey) => Promise<readonly FilingDoc[]>;
  /** Throws `rows_missing` (retryable). */
  readonly rowsOf: (accession: Accession, stored: StoredRows) => Promise<InfoTableRow[]>;
  readonly verdictOf: (key: ReportKey) => Promise<ReportVerdict>;
};

/** Everything as it is stored now; the filings that exist on `asOf`. */
export function storedReads(db: Db, asOf: IsoDate): FoldReads {
  return {
    filingsOf: (key) => filingsOfReport(db, key, asOf),
    rowsOf: (accession, stored) => readRows(db, accession, stored),
    verdictOf: (key) => findVerdict(db, key),
  };
}

/** The parsed 13F of a stored filing, rows included. */
async function loadThirteenF(doc: FilingDoc, { rowsOf }: FoldReads): Promise<ThirteenF> {
  const content = thirteenFOf(doc);
  if (content === null || doc.rows === null) {
    throw new AppError('not_thirteen_f', `${doc._id} is not a parsed 13F`);
  }
  const { holdingsCount: _count, valueCents: _value, reasons: _reasons, ...filing } = content;
  return { ...filing, rows: await rowsOf(doc._id, doc.rows) };
}

/** A report with and without peer verdicts; one object when there are none. */
export type FoldedReport = { readonly report: EffectiveReport; readonly filed: EffectiveReport };

/** The effective report of (manager, quarter) from all its filings that are visible. */
export async function foldStored(db: Db, key: ReportKey, reads: FoldReads): Promise<FoldedReport | null> {
  const [docs, verdict] = await Promise.all([reads.filingsOf(key), reads.verdictOf(key)]);
  const filings = await Promise.all(docs.map((doc) => loadThirteenF(doc, reads)));
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
