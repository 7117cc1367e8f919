import type { Collection, Db } from 'mongodb';
import type { Accession, Cik, Cusip, QuarterEnd } from '../../domain/ids.ts';
import type { FiledPosition } from '../../domain/peers/filed-security.ts';
import type { Reason } from '../../domain/quality/quality.ts';
import { type EffectiveReport, isEquity } from '../../domain/report/report.ts';
import type { ReportKey } from '../filing/filings.ts';
import { digestOf } from '../mongo/digest.ts';
import { insertNew } from '../mongo/insert-new.ts';
import { bucketOf, POSITION_BUCKETS } from './positions.ts';
import type { FiledSummary } from './reports.ts';

/**
 * The equity of each report as filed, with nothing in it that a comparison or other filers add: what
 * the filers of a quarter are asked with. One document per (part, quarter, manager, digest), so
 * that a quarter of all managers is read part by part, each with all of its securities' holders.
 */
type FiledPositionsDoc = { _id: string; slice: string; rows: string };

export const FILED_PARTS = 32;

/** Amounts as decimal text: JSON has no bigint. */
type PackedRow = [
  cusip: string,
  issuer: string,
  amount: string,
  valueCents: string,
  accession: string | null,
  reasons: Reason[],
];

export type FiledRow = FiledPosition & { readonly cusip: Cusip; readonly digest: string };

function filedPositionsIn(db: Db): Collection<FiledPositionsDoc> {
  return db.collection<FiledPositionsDoc>('filed_positions');
}

const partOf = (cusip: string): number =>
  Math.floor(Number.parseInt(bucketOf(cusip), 16) / (POSITION_BUCKETS / FILED_PARTS));

const sliceOf = (part: number, quarterEnd: QuarterEnd): string => `${part}|${quarterEnd}`;

/** What the peers is computed from of a report: equal for equal filings, whatever it says. */
export function filedSummary(filed: EffectiveReport): FiledSummary {
  const isComparable = filed.state === 'holdings' && !filed.reasons.includes('shares_equal_value');
  const filings = filed.filings.map(({ accession, filedDate, role }) => [accession, filedDate, role]);
  const rows = rowsOf(filed);
  return { digest: digestOf([isComparable, filings, rows]), isComparable, positions: rows.length };
}

/** Writes the book of a digest. Writing it twice, or beside another worker, changes nothing. */
export async function writeFiledPositions(db: Db, filed: EffectiveReport, digest: string): Promise<void> {
  const parts = new Map<number, PackedRow[]>();
  for (const row of rowsOf(filed)) {
    const part = partOf(row[0]);
    const rows = parts.get(part);
    if (rows === undefined) parts.set(part, [row]);
    else rows.push(row);
  }
  const docs = [...parts].map(([part, rows]) => ({
    _id: documentId(part, filed, digest),
    slice: sliceOf(part, filed.quarterEnd),
    rows: JSON.stringify(rows),
  }));
  await insertNew(filedPositionsIn(db), docs);
}

/** Removes the book of a digest that its report does not have any more. */
export async function dropFiledPositions(db: Db, key: ReportKey, digest: string): Promise<void> {
  const ids = Array.from({ length: FILED_PARTS }, (_, part) => documentId(part, key, digest));
  await filedPositionsIn(db).deleteMany({ _id: { $in: ids } });
}

/** Every book's rows of some parts of the securities in a quarter, in every digest there is. */
export async function* filedRows(
  db: Db,
  parts: readonly number[],
  quarterEnd: QuarterEnd,
): AsyncGenerator<FiledRow> {
  const slices = parts.map((part) => sliceOf(part, quarterEnd));
  for await (const doc of filedPositionsIn(db).find({ slice: { $in: slices } })) {
    const [, , cik, digest] = doc._id.split('|') as [string, string, Cik, string];
    for (const row of JSON.parse(doc.rows) as PackedRow[]) yield unpackRow(row, cik, digest);
  }
}

function documentId(part: number, { cik, quarterEnd }: ReportKey, digest: string): string {
  return `${sliceOf(part, quarterEnd)}|${cik}|${digest}`;
}

function rowsOf({ positions }: EffectiveReport): PackedRow[] {
  return positions
    .filter(isEquity)
    .map(({ cusip, issuer, amount, filedValueCents, accessions, reasons }) => [
      cusip,
      issuer,
      amount.toString(),
      filedValueCents.toString(),
      accessions.length === 1 ? (accessions[0] ?? null) : null,
      [...reasons],
    ]);
}

function unpackRow(row: PackedRow, cik: Cik, digest: string): FiledRow {
  return {
    cusip: row[0] as Cusip,
    cik,
    digest,
    issuer: row[1],
    amount: BigInt(row[2]),
    valueCents: BigInt(row[3]),
    accession: row[4] as Accession | null,
    reasons: row[5],
  };
}
