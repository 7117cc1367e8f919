/**
 * Writes the reports of a synthetic market as the tables of Form 13F data sets, a folder for each quarter, for
 * `tidemark backfill 13f --file`.
 */
import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Market } from './market.ts';
import { type Filed, reportsOf } from './submissions.ts';

/** The columns that the import reads; the SEC's tables have more. */
const COLUMNS = {
  SUBMISSION: 'ACCESSION_NUMBER FILING_DATE SUBMISSIONTYPE CIK PERIODOFREPORT',
  COVERPAGE:
    'ACCESSION_NUMBER REPORTCALENDARORQUARTER ISAMENDMENT AMENDMENTNO AMENDMENTTYPE FILINGMANAGER_NAME REPORTTYPE FORM13FFILENUMBER',
  SUMMARYPAGE: 'ACCESSION_NUMBER TABLEENTRYTOTAL TABLEVALUETOTAL ISCONFIDENTIALOMITTED',
  OTHERMANAGER: 'ACCESSION_NUMBER OTHERMANAGER_SK CIK FORM13FFILENUMBER NAME',
  OTHERMANAGER2: 'ACCESSION_NUMBER SEQUENCENUMBER CIK FORM13FFILENUMBER NAME',
  INFOTABLE:
    'ACCESSION_NUMBER INFOTABLE_SK NAMEOFISSUER TITLEOFCLASS CUSIP FIGI VALUE SSHPRNAMT SSHPRNAMTTYPE PUTCALL INVESTMENTDISCRETION OTHERMANAGER VOTING_AUTH_SOLE VOTING_AUTH_SHARED VOTING_AUTH_NONE',
} as const;
type Table = keyof typeof COLUMNS;
const TABLES = Object.keys(COLUMNS) as Table[];

const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];

export type WrittenSets = {
  readonly dirs: readonly string[];
  readonly filings: number;
  readonly rows: number;
};

/** One data set for each quarter that reports are of, under `dir`, oldest first. */
export function writeDataSets(dir: string, market: Market): WrittenSets {
  const sets = new Map<string, Map<Table, number>>();
  let [filings, rows] = [0, 0];
  for (const filed of reportsOf(market)) {
    const path = join(dir, `${filed.report.quarterEnd}_form13f`);
    const files = sets.get(path) ?? openTables(path);
    sets.set(path, files);
    for (const [table, text] of linesOf(filed)) writeSync(files.get(table) ?? -1, text);
    filings += 1;
    rows += filed.rows.length;
  }
  for (const files of sets.values()) for (const file of files.values()) closeSync(file);
  return { dirs: [...sets.keys()].sort(), filings, rows };
}

function openTables(path: string): Map<Table, number> {
  mkdirSync(path, { recursive: true });
  return new Map(
    TABLES.map((table) => {
      const file = openSync(join(path, `${table}.tsv`), 'w');
      writeSync(file, `${COLUMNS[table].replaceAll(' ', '\t')}\n`);
      return [table, file];
    }),
  );
}

function linesOf({ report, rows }: Filed): [Table, string][] {
  const { accession, filed, by, quarterEnd, amendment } = report;
  const form = amendment === undefined ? '13F-HR' : '13F-HR/A';
  const amended = amendment === undefined ? ['N', '', ''] : ['Y', String(amendment.number), amendment.type];
  const total = rows.reduce((sum, { value }) => sum + value, 0);
  const period = printed(quarterEnd);
  const held = rows.map(({ issuer, title, cusip, value, amount, putCall = '' }, at) =>
    [
      accession,
      at + 1,
      issuer,
      title,
      cusip,
      '',
      value,
      amount,
      'SH',
      putCall,
      'SOLE',
      '',
      amount,
      0,
      0,
    ].join('\t'),
  );
  return [
    ['SUBMISSION', line([accession, printed(filed), form, by.cik, period])],
    ['COVERPAGE', line([accession, period, ...amended, by.name, '13F HOLDINGS REPORT', by.fileNumber])],
    ['SUMMARYPAGE', line([accession, String(rows.length), String(total), 'N'])],
    ['INFOTABLE', held.map((text) => `${text}\n`).join('')],
  ];
}

const line = (fields: readonly string[]): string => `${fields.join('\t')}\n`;

/** `2023-09-30` becomes `30-SEP-2023`, as the SEC's tables print days. */
function printed(day: string): string {
  const [year, month, date] = day.split('-');
  return `${date}-${MONTHS[Number(month) - 1]}-${year}`;
}
