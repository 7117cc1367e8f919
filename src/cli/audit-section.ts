import { type Column, tableLines } from './audit-table.ts';

/** A part of the report: a title, one line that explains it, and a table or nothing. */
export type AuditSection = {
  readonly title: string;
  readonly about: string;
  readonly lines: readonly string[];
};

export const text = (title: string): Column => ({ title });
export const number = (title: string): Column => ({ title, isNumber: true });

/** Nothing at all where there are no rows: the line that explains says how many. */
export function table(columns: readonly Column[], rows: readonly (readonly string[])[]): string[] {
  return rows.length === 0 ? [] : tableLines(columns, rows);
}
