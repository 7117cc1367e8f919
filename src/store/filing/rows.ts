import type { Binary, Collection, Db } from 'mongodb';
import type { InfoTableRow, RowFlag } from '../../domain/filing/filing.ts';
import type { Accession, Cusip } from '../../domain/ids.ts';
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

export type RowsKey = { readonly accession: Accession; readonly rowsVersion: string };

const pageId = (key: RowsKey, page: number): string =>
  `${key.accession}|${key.rowsVersion}|${String(page).padStart(4, '0')}`;

/** Writes the table and answers the number of pages. Repeatable: the same key gives the same pages. */
export async function writeRows(db: Db, key: RowsKey, rows: readonly InfoTableRow[]): Promise<number> {
  const pages = Math.ceil(rows.length / ROWS_PER_PAGE);
  const docs = Array.from({ length: pages }, (_, page) => ({
    _id: pageId(key, page),
    rows: pack(rows.slice(page * ROWS_PER_PAGE, (page + 1) * ROWS_PER_PAGE).map(packRow)),
  }));
  await insertNew(rowsIn(db), docs);
  return pages;
}

/** All rows of a table in filed order. Throws when a page is missing: a short table is a wrong table. */
export async function readRows(db: Db, key: RowsKey, pages: number): Promise<InfoTableRow[]> {
  if (pages === 0) return [];
  const docs = await rowsIn(db)
    .find({ _id: { $in: Array.from({ length: pages }, (_, page) => pageId(key, page)) } })
    .sort({ _id: 1 })
    .toArray();
  if (docs.length !== pages) {
    throw new Error(`${key.accession}: ${docs.length} of ${pages} row pages are stored`);
  }
  return docs.flatMap((doc) => unpack<PackedRow[]>(doc.rows).map(unpackRow));
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
    row.unit,
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
    unit: packed[7],
    putCall: packed[8],
    discretion: packed[9],
    otherManagers: packed[10],
    votingSole: BigInt(packed[11]),
    votingShared: BigInt(packed[12]),
    votingNone: BigInt(packed[13]),
    flags: packed[14],
  };
}
