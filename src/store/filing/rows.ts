import type { Db } from 'mongodb';
import type { InfoTableRow } from '../../domain/filing/filing.ts';
import type { Accession, Cusip } from '../../domain/ids.ts';
import { AppError } from '../../errors.ts';
import { AMOUNT, type Codec } from '../mongo/pack.ts';
import { pageIds, pagesIn } from '../mongo/pages.ts';

/** The columns of a stored row, in this order for good: rows are never derived again. Amounts are decimal text. */
type StoredRow = readonly [
  row: number,
  issuer: string,
  titleOfClass: string,
  cusipAsFiled: string,
  cusip: Cusip | null,
  value: string,
  amount: string,
  amountType: InfoTableRow['amountType'],
  putCall: InfoTableRow['putCall'],
  discretion: string,
  otherManagers: string,
  votingSole: string,
  votingShared: string,
  votingNone: string,
  reasons: InfoTableRow['reasons'],
];

/** Each field by name: a tuple of codecs takes three times as long, and an import reads each row twice. */
const ROW: Codec<InfoTableRow> = {
  encode: (row): StoredRow => [
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
    row.reasons,
  ],
  decode: (json) => {
    const row = json as StoredRow;
    return {
      row: row[0],
      issuer: row[1],
      titleOfClass: row[2],
      cusipAsFiled: row[3],
      cusip: row[4],
      value: AMOUNT.decode(row[5]),
      amount: AMOUNT.decode(row[6]),
      amountType: row[7],
      putCall: row[8],
      discretion: row[9],
      otherManagers: row[10],
      votingSole: AMOUNT.decode(row[11]),
      votingShared: AMOUNT.decode(row[12]),
      votingNone: AMOUNT.decode(row[13]),
      reasons: row[14],
    };
  },
};

const ROWS_PER_PAGE = 2_000;

/** Rows of information tables as filed, by (accession, parser version and bytes). */
const pages = pagesIn<InfoTableRow>('filing_rows', ROWS_PER_PAGE, ROW);

/** Where a table is. `source` names its pages: the parser version and the bytes that it was read from. */
export type StoredRows = { readonly source: string; readonly pages: number; readonly count: number };

type Table = { readonly accession: Accession; readonly source: string };

const listOf = ({ accession, source }: Table): string => `${accession}|${source}`;

/** A table with its pages, for {@link insertRows}, and where they will be. */
export function rowsToStore(table: Table, rows: readonly InfoTableRow[]) {
  const docs = pages.docsOf(listOf(table), rows);
  const stored: StoredRows = { source: table.source, pages: docs.length, count: rows.length };
  return { docs, stored };
}

/** Repeatable: the same source gives the same pages. */
export const insertRows = pages.insert;

/** Writes the table and returns where it is. */
export async function writeRows(db: Db, table: Table, rows: readonly InfoTableRow[]): Promise<StoredRows> {
  const { docs, stored } = rowsToStore(table, rows);
  await insertRows(db, docs);
  return stored;
}

/**
 * All rows of a table in filed order. Throws `rows_missing` (retryable) when one is missing: a short
 * table is a wrong table.
 */
export async function readRows(
  db: Db,
  accession: Accession,
  { source, pages: pageCount, count }: StoredRows,
): Promise<InfoTableRow[]> {
  const rows = await pages.read(db, pageIds(listOf({ accession, source }), Number(pageCount)));
  return requireRows(accession, rows, count);
}

/** The rows of several tables by their filings, with as few commands. Throws like {@link readRows}. */
export async function readTables(
  db: Db,
  tables: readonly (readonly [Accession, StoredRows])[],
): Promise<Map<Accession, InfoTableRow[]>> {
  const idsOf = (accession: Accession, { source, pages: count }: StoredRows): string[] =>
    pageIds(listOf({ accession, source }), Number(count));
  const ids = tables.flatMap(([accession, stored]) => idsOf(accession, stored));
  const found = await pages.readEach(db, ids);
  return new Map(
    tables.map(([accession, stored]) => {
      const rows = idsOf(accession, stored).flatMap((id) => found.get(id) ?? []);
      return [accession, requireRows(accession, rows, stored.count)];
    }),
  );
}

function requireRows(accession: Accession, rows: InfoTableRow[], count: number): InfoTableRow[] {
  if (rows.length === Number(count)) return rows;
  throw new AppError('rows_missing', `${accession}: ${rows.length} of ${count} rows are stored`, {
    retry: true,
  });
}

/** Removes a table that no filing names any more. */
export async function dropRows(db: Db, accession: Accession, { source, pages: count }: StoredRows) {
  await pages.drop(db, pageIds(listOf({ accession, source }), Number(count)));
}
