import { createHash } from 'node:crypto';
import type { Collection, Db } from 'mongodb';
import type { Cik, Cusip, QuarterEnd } from '../../domain/ids.ts';
import type { ReportKey } from '../filing/filings.ts';
import { findByIds } from '../mongo/by-ids.ts';
import { insertNew } from '../mongo/insert-new.ts';
import { type PackedPosition, packPosition, type StoredPosition, unpackPosition } from './position-pack.ts';

/**
 * Equity changes by security. A report's rows are spread over hash buckets of the CUSIP, one
 * document per (bucket, quarter, manager, digest): a large report writes a tenth of the documents
 * that one per row would, no document grows with the number of managers, and a security is read by
 * its slice (bucket, quarter). Documents never change: a report switches to another digest, and
 * readers keep the rows of the digest that it shows (see `observations.ts`).
 */
type PositionsDoc = { _id: string; slice: string; rows: string };

export const POSITION_BUCKETS = 512;

export type ManagerPosition = StoredPosition & {
  readonly cik: Cik;
  readonly quarterEnd: QuarterEnd;
  readonly digest: string;
};

export function positionsIn(db: Db): Collection<PositionsDoc> {
  return db.collection<PositionsDoc>('positions');
}

export function bucketOf(cusip: string): string {
  const hash = createHash('sha1').update(cusip).digest().readUInt16BE(0);
  return bucketName(hash % POSITION_BUCKETS);
}

export const bucketName = (bucket: number): string => bucket.toString(16).padStart(3, '0');

const sliceOf = (bucket: string, quarterEnd: QuarterEnd): string => `${bucket}|${quarterEnd}`;

/** A report in one digest of its rows. */
export type DigestKey = ReportKey & { readonly digest: string };

const documentId = (bucket: string, key: DigestKey): string =>
  `${sliceOf(bucket, key.quarterEnd)}|${key.cik}|${key.digest}`;

/** Writes the positions of a digest. Writing it twice, or beside another worker, changes nothing. */
export async function writePositions(
  db: Db,
  key: DigestKey,
  positions: readonly StoredPosition[],
): Promise<void> {
  const buckets = new Map<string, PackedPosition[]>();
  for (const position of positions) {
    const bucket = bucketOf(position.cusip);
    const rows = buckets.get(bucket);
    if (rows === undefined) buckets.set(bucket, [packPosition(position)]);
    else rows.push(packPosition(position));
  }
  if (buckets.size === 0) return;
  const docs = [...buckets].map(([bucket, rows]) => ({
    _id: documentId(bucket, key),
    slice: sliceOf(bucket, key.quarterEnd),
    rows: JSON.stringify(rows),
  }));
  await insertNew(positionsIn(db), docs);
}

/** Removes the positions of a digest that no reader needs any more, by the CUSIPs in it. */
export async function dropPositions(db: Db, key: DigestKey, cusips: readonly string[]): Promise<void> {
  const ids = [...new Set(cusips.map(bucketOf))].map((bucket) => documentId(bucket, key));
  if (ids.length > 0) await positionsIn(db).deleteMany({ _id: { $in: ids } });
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

/** The same for chosen reports in chosen digests, by exact ids. */
export async function positionsOfReports(
  db: Db,
  cusip: Cusip,
  reports: readonly DigestKey[],
): Promise<ManagerPosition[]> {
  const bucket = bucketOf(cusip);
  const ids = reports.map((report) => documentId(bucket, report));
  const docs = await findByIds(positionsIn(db), ids);
  return docs.flatMap((doc) => unpackPositions(doc, cusip));
}

/** Every manager's positions of whole buckets in a quarter, in every digest kept; one look-up by slices. */
export async function* positionsOfBuckets(
  db: Db,
  buckets: readonly string[],
  quarterEnd: QuarterEnd,
): AsyncGenerator<ManagerPosition> {
  const slices = buckets.map((bucket) => sliceOf(bucket, quarterEnd));
  for await (const doc of positionsIn(db).find({ slice: { $in: slices } })) yield* unpackPositions(doc, null);
}

/** Of one security, or all. */
function unpackPositions(doc: PositionsDoc, cusip: Cusip | null): ManagerPosition[] {
  if (cusip !== null && !doc.rows.includes(cusip)) return [];
  const [, quarterEnd, cik, digest] = doc._id.split('|') as [string, QuarterEnd, Cik, string];
  return (JSON.parse(doc.rows) as PackedPosition[])
    .filter((row) => cusip === null || row[0] === cusip)
    .map((row) => ({ ...unpackPosition(row), cik, quarterEnd, digest }));
}
