import type { Db } from 'mongodb';
import { compare } from '../../domain/compare.ts';
import type { Accession, Cik, Cusip, QuarterEnd } from '../../domain/ids.ts';
import type { FiledReport } from '../../domain/peers/filed-quarter.ts';
import type { Reason } from '../../domain/quality/quality.ts';
import { NAMES_NOBODY } from '../../domain/report/other-manager.ts';
import { isContributing, type ReportFiling } from '../../domain/report/report.ts';
import { reportId } from '../filing/filings.ts';
import { invalidate } from '../invalidation/invalidate.ts';
import { findByIds } from '../mongo/lists.ts';
import type { Beat } from '../mongo/lock.ts';
import { filedDoc, insertFiled, packFiled } from '../report/filed-reports.ts';
import { reportsIn } from '../report/reports.ts';

/** A report with the summary of version 2, whose rows as filed are in documents by parts of the CUSIPs. */
type ReportBefore = {
  readonly _id: string;
  readonly cik: Cik;
  readonly quarterEnd: QuarterEnd;
  readonly filings: readonly ReportFiling[];
  readonly followersInvalidated: boolean;
  readonly filed: { readonly digest: string; readonly isComparable: boolean; readonly positions: number };
};

type RowBefore = [
  Cusip,
  issuer: string,
  amount: string,
  valueCents: string,
  Accession | null,
  readonly Reason[],
];

const COLLECTION = 'filed_positions';
const PARTS = 32;
const BATCH = 100;

/**
 * Writes each report as filed into one document, and drops the former ones. A report whose rows are not
 * all there is invalidated, which writes them again. Returns the number of reports.
 */
export async function joinFiledPositions(db: Db, beat: Beat): Promise<number> {
  const before = db.collection<ReportBefore>('reports');
  let joined = 0;
  for await (const report of before.find({ 'filed.positions': { $exists: true } }).sort({ _id: 1 })) {
    const filed = await filedBefore(db, report);
    const packed = packFiled(filed);
    const key = { cik: report.cik, quarterEnd: report.quarterEnd, digest: packed.digest };
    if (filed.positions.length === Number(report.filed.positions))
      await insertFiled(db, [filedDoc(key, packed)]);
    else await invalidate(db, 'report', [reportId(report)]);
    const { followersInvalidated } = report;
    await reportsIn(db).updateOne(
      { _id: report._id },
      { $set: { filed: { digest: packed.digest, followersInvalidated } } },
    );
    joined += 1;
    if (joined % BATCH === 0) await beat();
  }
  const stored = await db.listCollections({ name: COLLECTION }, { nameOnly: true }).toArray();
  if (stored.length > 0) await db.collection(COLLECTION).drop();
  return joined;
}

async function filedBefore(db: Db, { cik, quarterEnd, filings, filed }: ReportBefore): Promise<FiledReport> {
  const ids = Array.from({ length: PARTS }, (_, part) => `${part}|${quarterEnd}|${cik}|${filed.digest}`);
  const docs = await findByIds(db.collection<{ _id: string; rows: string }>(COLLECTION), ids);
  const rows = docs.flatMap((doc) => JSON.parse(doc.rows) as RowBefore[]);
  return {
    cik,
    filings: filings.filter(isContributing).map(({ accession, filedDate }) => ({ accession, filedDate })),
    isComparable: filed.isComparable,
    named: NAMES_NOBODY,
    positions: rows
      .sort(([a], [b]) => compare(a, b))
      .map(([cusip, issuer, amount, valueCents, accession, reasons]) => ({
        cusip,
        issuer,
        amount: BigInt(amount),
        valueCents: BigInt(valueCents),
        accession,
        reasons,
      })),
  };
}
