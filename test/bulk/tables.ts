import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { IsoDate } from '../../src/domain/ids.ts';

const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];

/** `2018-09-30` becomes `30-SEP-2018`, as the SEC's tables print days. */
export function printed(day: IsoDate | null): string {
  if (day === null) return '';
  const [year, month, date] = day.split('-');
  return `${date}-${MONTHS[Number(month) - 1]}-${year}`;
}

export type Line = Readonly<Record<string, string | number | bigint | null>>;

/** The columns of each table, in the SEC's order. */
export type Heads = Readonly<Record<string, readonly string[]>>;

/** Writes the tables of a data set as the SEC does: tab-separated, a file for each. */
export async function writeTables(
  dir: string,
  heads: Heads,
  tables: Readonly<Record<string, readonly Line[]>>,
): Promise<void> {
  await mkdir(dir, { recursive: true });
  for (const [table, lines] of Object.entries(tables))
    await writeFile(join(dir, `${table}.tsv`), `${textOf(heads[table] ?? [], lines)}\n`);
}

export function textOf(columns: readonly string[], lines: readonly Line[]): string {
  const fields = [columns, ...lines.map((line) => columns.map((column) => String(line[column] ?? '')))];
  return fields.map((line) => line.join('\t')).join('\n');
}
