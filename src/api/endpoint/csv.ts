import { z } from 'zod';
import type { Endpoint } from './endpoint.ts';

/** A column: the names that lead to its value, joined by `_` in the header line. */
type Column = readonly string[];

type Schema = {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
};

/**
 * Where a spreadsheet would compute a text: at a formula sign, full-width ones too, that begins the text or follows
 * what some spreadsheets take for the end of a cell, blanks and quotes between or not. A signed number is no formula.
 */
const FORMULA =
  /(^|[;\t\r\n])(?=(?:[^\S\t\r\n]|")*[=+\-@＝＋－＠])(?![+-]?\d+(?:\.\d+)?(?:[;\t\r\n]|$))|^(?=[\t\r\n])/g;
const NEEDS_QUOTES = /[",\r\n]/;

/**
 * The rows of an answer as CSV (RFC 4180): a header line, then a line per row, each ended by CR LF. Nested fields are
 * columns of their own, the values of a list are joined by `;`, null is empty.
 *
 * @param body the body that the same call answers as JSON
 */
export function csvOf(endpoint: Endpoint, body: unknown): string {
  const columns = leavesOf(rowSchema(endpoint), []);
  const lines = (rowsAt(body as Row, endpoint.digest.rows?.at ?? '') ?? []).map((row) =>
    columns.map((column) => cellOf(valuesAt(row, column).join(';'))).join(','),
  );
  return [columns.map((column) => column.join('_')).join(','), ...lines, ''].join('\r\n');
}

function rowSchema({ output, digest }: Endpoint): Schema {
  const body = z.toJSONSchema(output, { io: 'output' }) as Schema;
  const { at = '' } = digest.rows ?? {};
  const data = body.properties?.['data'] ?? {};
  return (at === '' ? data : data.properties?.[at])?.items ?? {};
}

function leavesOf(schema: Schema, path: Column): Column[] {
  const { properties, items, anyOf } = schema;
  if (items !== undefined) return leavesOf(items, path);
  if (properties !== undefined) {
    return Object.entries(properties).flatMap(([name, inner]) => leavesOf(inner, [...path, name]));
  }
  const nested = anyOf?.find((one) => one.properties !== undefined || one.items !== undefined);
  return nested === undefined ? [path] : leavesOf(nested, path);
}

/** The values below a path; of a list those of each item. */
function valuesAt(value: unknown, [name, ...rest]: Column): unknown[] {
  if (Array.isArray(value)) {
    return value.flatMap((item) => valuesAt(item, name === undefined ? [] : [name, ...rest]));
  }
  if (name === undefined) return [value];
  if (typeof value !== 'object' || value === null) return [null];
  return valuesAt((value as Readonly<Record<string, unknown>>)[name], rest);
}

function cellOf(text: string): string {
  const safe = text.replace(FORMULA, "$1'");
  return NEEDS_QUOTES.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** An object of an answer. */
export type Row = Readonly<Record<string, unknown>>;

/** The rows of the list at a path below `data`; `data` itself for an empty one. */
export function rowsAt(body: Row, path: string): readonly Row[] | null {
  const names = path === '' ? [] : path.split('.');
  const rows = names.reduce<unknown>((node, name) => (node as Row | undefined)?.[name], body['data']);
  return Array.isArray(rows) ? rows : null;
}
