import type { Binary, Collection, Db } from 'mongodb';
import type { InfoTableRow, RowFlag } from '../../domain/filing/filing.ts';
import type { Accession, Cusip } from '../../domain/ids.ts';
import { AppError } from '../../errors.ts';
import { insertNew } from '../mongo/insert-new.ts';
import { pack, unpack } from '../mongo/packed.ts';

/** Rows of an information table as filed, in pages, by (accession, parser version and bytes). */
type RowsPageDoc = { _id: string; rows: Binary };

export const ROWS_PER_PAGE = 2_000;

/** Column order of a packed row; shorter and faster than objects with fourteen keys. */
type PackedRow = [
  row: number,
  issuer: string,
  titleOfClass: string,
  cusipAsFiled: string,
  cusip: string | null,
  value: string,
  amount: string,
  unit: 'SH' | 'PRN',
  putCall: 'PUT' | 'CALL' | null,
  discretion: string,
  otherManagers: string,
  votingSole: string,
  votingShared: string,
  votingNone: string,
  flags: RowFlag[],
];

function rowsIn(db: Db): Collection<RowsPageDoc> {
  return db.collection<RowsPageDoc>('filing_rows');
}

/** Where a table is. `source` names its pages: the parser version and the bytes that it was read from. */
export type StoredRows = { readonly source: string; readonly pages: number; readonly count: number };

const pageId = (accession: Accession, source: string, page: number): string =>
  `${accession}|${source}|${String(page).padStart(4, '0')}`;

/** Writes the table and returns where it is. Repeatable: the same source gives the same pages. */
export async function writeRows(
  db: Db,
  { accession, source }: { readonly accession: Accession; readonly source: string },
  rows: readonly InfoTableRow[],
): Promise<StoredRows> {
  const pages = Math.ceil(rows.length / ROWS_PER_PAGE);
  const docs = Array.from({ length: pages }, (_, page) => ({
    _id: pageId(accession, source, page),
    rows: pack(rows.slice(page * ROWS_PER_PAGE, (page + 1) * ROWS_PER_PAGE).map(packRow)),
  }));
  await insertNew(rowsIn(db), docs);
  return { source, pages, count: rows.length };
}

/**
 * All rows of a table in filed order. Throws `rows_missing` (retryable) when one is missing: a short
 * table is a wrong table.
 */
export async function readRows(
  db: Db,
  accession: Accession,
  { source, pages, count }: StoredRows,
): Promise<InfoTableRow[]> {
  if (Number(pages) === 0) return [];
  const ids = Array.from({ length: Number(pages) }, (_, page) => pageId(accession, source, page));
  const docs = await rowsIn(db)
    .find({ _id: { $in: ids } })
    .sort({ _id: 1 })
    .toArray();
  const rows = docs.flatMap((doc) => unpack<PackedRow[]>(doc.rows).map(unpackRow));
  if (rows.length === Number(count)) return rows;
  throw new AppError('rows_missing', `${accession}: ${rows.length} of ${count} rows are stored`, {
    retry: true,
  });
}

function packRow(row: InfoTableRow): PackedRow {
  return [
    row.row,
    row.issuer,
    row.titleOfClass,
    row.cusipAsFiled,
    row.cusip,
    row.value.toString(),
    row.amount.toString(),
    row.amountType,
    row.putCall,
    row.discretion,
    row.otherManagers,
    row.votingSole.toString(),
    row.votingShared.toString(),
    row.votingNone.toString(),
    [...row.flags],
  ];
}

function unpackRow(packed: PackedRow): InfoTableRow {
  return {
    row: packed[0],
    issuer: packed[1],
    titleOfClass: packed[2],
    cusipAsFiled: packed[3],
    cusip: packed[4] as Cusip | null,
    value: BigInt(packed[5]),
    amount: BigInt(packed[6]),
    amountType: packed[7],
    putCall: packed[8],
    discretion: packed[9],
    otherManagers: packed[10],
    votingSole: BigInt(packed[11]),
    votingShared: BigInt(packed[12]),
    votingNone: BigInt(packed[13]),
    flags: packed[14],
  };
}
