import { createHash } from 'node:crypto';
import type { Collection, Db } from 'mongodb';
import type { Cik, Cusip, QuarterEnd } from '../domain/ids.ts';
import type { Reason } from '../domain/quality.ts';
import type { ReportKey } from './filings.ts';

/**
 * Equity changes by security. A report's rows are spread over hash buckets of the CUSIP, one
 * document per (bucket, quarter, manager): a large report writes a tenth of the documents that one
 * per row would, no document grows with the number of managers, and a security is read by an `_id`
 * range. Readers keep only rows whose `rev` is that of the report (see `observations.ts`).
 */
type PositionsDoc = { _id: string; slice: string; rev: number; rows: string };

export const POSITION_BUCKETS = 512;

/** Amounts as decimal text: JSON has no bigint. */
type PackedPosition = [
  cusip: string,
  amount: string,
  valueCents: string,
  priorAmount: string,
  priorValueCents: string,
  reasons: Reason[],
];

export type StoredPosition = {
  readonly cusip: Cusip;
  readonly amount: bigint;
  readonly valueCents: bigint;
  readonly priorAmount: bigint;
  readonly priorValueCents: bigint;
  readonly reasons: readonly Reason[];
};

export type ManagerPosition = StoredPosition & {
  readonly cik: Cik;
  readonly quarterEnd: QuarterEnd;
  readonly rev: number;
};

export function positionsIn(db: Db): Collection<PositionsDoc> {
  return db.collection<PositionsDoc>('positions');
}

export function bucketOf(cusip: string): string {
  const hash = createHash('sha1').update(cusip).digest().readUInt16BE(0);
  return (hash % POSITION_BUCKETS).toString(16).padStart(3, '0');
}

const ALL_BUCKETS = Array.from({ length: POSITION_BUCKETS }, (_, n) => n.toString(16).padStart(3, '0'));

const sliceOf = (bucket: string, quarterEnd: QuarterEnd): string => `${bucket}|${quarterEnd}`;
const documentId = (bucket: string, key: ReportKey): string =>
  `${sliceOf(bucket, key.quarterEnd)}|${key.cik}`;

/**
 * Replaces the positions of a report by those of generation `rev`. A later generation's documents
 * are left alone, so that a worker that was asleep cannot bring old rows back.
 */
export async function writePositions(
  db: Db,
  report: ReportKey & { readonly rev: number },
  positions: readonly StoredPosition[],
): Promise<void> {
  const buckets = new Map<string, PackedPosition[]>();
  for (const position of positions) {
    const id = documentId(bucketOf(position.cusip), report);
    const rows = buckets.get(id) ?? [];
    rows.push(packPosition(position));
    buckets.set(id, rows);
  }
  const ids = ALL_BUCKETS.map((bucket) => documentId(bucket, report));
  const existing = await positionsIn(db)
    .find({ _id: { $in: ids } }, { projection: { rev: 1 } })
    .toArray();
  const known = new Map(existing.map((doc) => [doc._id, Number(doc.rev)]));
  const fresh = [...buckets].filter(([id]) => !known.has(id));
  if (fresh.length > 0) {
    await positionsIn(db).insertMany(
      fresh.map(([_id, rows]) => ({
        _id,
        slice: _id.slice(0, _id.lastIndexOf('|')),
        rev: report.rev,
        rows: JSON.stringify(rows),
      })),
      { ordered: false },
    );
  }
  await replaceKnown(db, report.rev, { buckets, known });
}

async function replaceKnown(
  db: Db,
  rev: number,
  state: { buckets: Map<string, PackedPosition[]>; known: Map<string, number> },
): Promise<void> {
  const writes = [...state.known.keys()].map((_id) => {
    const rows = state.buckets.get(_id);
    const filter = { _id, rev: { $lte: rev } };
    if (rows === undefined) return { deleteOne: { filter } };
    return { updateOne: { filter, update: { $set: { rev, rows: JSON.stringify(rows) } } } };
  });
  if (writes.length > 0) await positionsIn(db).bulkWrite(writes, { ordered: false });
}

/** Every manager's stored change of one security in one quarter: one look-up by slice. */
export async function positionsOfSecurity(
  db: Db,
  cusip: Cusip,
  quarterEnd: QuarterEnd,
): Promise<ManagerPosition[]> {
  const docs = await positionsIn(db)
    .find({ slice: sliceOf(bucketOf(cusip), quarterEnd) })
    .toArray();
  return docs.flatMap((doc) => unpackPositions(doc, cusip));
}

/** The same for chosen reports, by exact ids. */
export async function positionsOfReports(
  db: Db,
  cusip: Cusip,
  reports: readonly ReportKey[],
): Promise<ManagerPosition[]> {
  if (reports.length === 0) return [];
  const bucket = bucketOf(cusip);
  const docs = await positionsIn(db)
    .find({ _id: { $in: reports.map((report) => documentId(bucket, report)) } })
    .toArray();
  return docs.flatMap((doc) => unpackPositions(doc, cusip));
}

function packPosition(position: StoredPosition): PackedPosition {
  return [
    position.cusip,
    position.amount.toString(),
    position.valueCents.toString(),
    position.priorAmount.toString(),
    position.priorValueCents.toString(),
    [...position.reasons],
  ];
}

function unpackPositions(doc: PositionsDoc, cusip: Cusip): ManagerPosition[] {
  if (!doc.rows.includes(cusip)) return [];
  const [, quarterEnd, cik] = doc._id.split('|') as [string, QuarterEnd, Cik];
  return (JSON.parse(doc.rows) as PackedPosition[])
    .filter((row) => row[0] === cusip)
    .map((row) => ({
      cusip,
      cik,
      quarterEnd,
      rev: Number(doc.rev),
      amount: BigInt(row[1]),
      valueCents: BigInt(row[2]),
      priorAmount: BigInt(row[3]),
      priorValueCents: BigInt(row[4]),
      reasons: row[5],
    }));
}
