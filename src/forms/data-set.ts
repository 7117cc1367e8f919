import type { FilingHeader, ParsedFiling } from '../domain/filing/filing.ts';
import { type Accession, type IsoDate, isIsoDate } from '../domain/ids.ts';
import { unreadable } from './parse-error.ts';
import { fieldOf } from './value.ts';

/** The lines of one filing in a quarterly data set of the SEC, by the name of their table. */
export type DataSetFiling = {
  readonly accession: Accession;
  readonly lines: Readonly<Record<string, readonly string[]>>;
};

/** The columns of each table, in the order of the file. */
export type Columns = Readonly<Record<string, readonly string[]>>;

/**
 * A data set of the SEC: tables of tab-separated values without quoting. The result is what the form's
 * parser reads from the document, but for what the tables do not have: the acceptance time, the name in
 * EDGAR's register and the bytes.
 */
export type DataSetFormat = {
  /** A form type of the data set: its module says what follows from its filings. */
  readonly form: string;
  /** Names the reader of the tables, as `parserVersion` names that of documents. */
  readonly parserVersion: string;
  /** The tables that are read with the columns that they must have. The first one lists the filings. */
  readonly tables: Columns;
  /** The table that is too large to be kept: the lines of a filing are adjacent in it. */
  readonly streamed: string | null;
  /** Who filed what and when, for a filing that cannot be read; the first party's CIK is the archive's. Throws ParseError. */
  readonly header: (filing: DataSetFiling, columns: Columns) => FilingHeader;
  /** Throws ParseError and nothing else. */
  readonly read: (filing: DataSetFiling, columns: Columns) => ParsedFiling;
};

/** The fields of a line by column; null for an empty one. */
export type DataSetRecord = ReadonlyMap<string, string | null>;

/** A line as its fields. Throws ParseError when it does not have as many as there are columns. */
export function fieldsOf(line: string, columns: readonly string[]): string[] {
  const fields = line.split('\t');
  if (fields.length === columns.length) return fields;
  throw unreadable(`a line of ${columns.length} columns`, `${fields.length} fields`);
}

/** Columns whose texts may be long. */
const PROSE = new Set(['FOOTNOTE_TXT', 'REMARKS', 'ADDITIONALINFORMATION']);

function recordOf(line: string, columns: readonly string[]): DataSetRecord {
  const fields = fieldsOf(line, columns);
  return new Map(
    columns.map((column, at) => {
      const text = fields[at]?.trim() || null;
      return [column, text === null || PROSE.has(column) ? text : fieldOf(column, text)];
    }),
  );
}

/** The records of one filing in a table; none when the table has no line of it. */
export function recordsIn(table: string, { lines }: DataSetFiling, columns: Columns): DataSetRecord[] {
  return (lines[table] ?? []).map((line) => recordOf(line, columns[table] ?? []));
}

const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];

/** `MAY` becomes `05`; `00` for no month. */
export function monthOf(name: string): string {
  return String(MONTHS.indexOf(name.toUpperCase()) + 1).padStart(2, '0');
}

/** `31-MAY-2013`. Throws ParseError for text that is no day; null for none. */
export function dataSetDay(column: string, text: string | null | undefined): IsoDate | null {
  if (text === null || text === undefined) return null;
  const [, day = '', name = '', year = ''] = /^(\d{2})-([A-Z]{3})-(\d{4})$/i.exec(text) ?? [];
  const date = `${year}-${monthOf(name)}-${day}`;
  if (isIsoDate(date)) return date;
  throw unreadable(column, text);
}
