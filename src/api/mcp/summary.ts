import type { Endpoint } from '../endpoint/endpoint.ts';
import { rowsAt } from '../endpoint/rows.ts';
import type { Fitted } from './fit.ts';

/** A summary is read with each answer, so it is short; the whole is beside it, for programs. */
const MAX_BYTES = 2_048;
/** For the line about what is left out. */
const TAIL_BYTES = 260;
const MAX_FACT = 420;
const MAX_CELL = 80;

/** What a model reads first: the facts of an answer, then its rows as far as they fit, with their ids (rule 11.9). */
export function summaryOf({ title, digest }: Endpoint, { body, next }: Fitted): string {
  const facts = digest.facts.flatMap((path) => {
    const text = textAt(body['data'], path, MAX_FACT);
    return text === '' ? [] : [`${path}: ${text}`];
  });
  const head = within([title, ...facts], MAX_BYTES - TAIL_BYTES);
  const rows = digest.rows === undefined ? null : rowsAt(body, digest.rows.at);
  if (rows === null || digest.rows === undefined) return [...head, ...tail(next, 0)].join('\n');
  const { columns } = digest.rows;
  const table = [
    `${countOf(body, rows.length)}: ${columns.join(' | ')}`,
    ...rows.map((row) => columns.map((path) => textAt(row, path, MAX_CELL) || '-').join(' | ')),
  ];
  const room = MAX_BYTES - TAIL_BYTES - bytes(head);
  const shown = within(rows.length === 0 ? ['No rows.'] : table, room);
  return [...head, ...shown, ...tail(next ?? followed(body), rows.length + 1 - shown.length)].join('\n');
}

/** `10 of 74 rows (page 1 of 8)`. */
function countOf(body: Fitted['body'], rows: number): string {
  const data = body['data'] as { pagination?: Page };
  const page = (body['pagination'] as Page | undefined) ?? data.pagination;
  return page === undefined
    ? `${rows} rows`
    : `${rows} of ${page.total} rows (page ${page.page} of ${page.pages})`;
}

type Page = { readonly page: number; readonly pages: number; readonly total: number; readonly limit: number };

/** The arguments of the next page; null on the last one. */
function followed(body: Fitted['body']): Fitted['next'] {
  const data = body['data'] as { pagination?: Page };
  const page = (body['pagination'] as Page | undefined) ?? data.pagination;
  return page === undefined || page.page >= page.pages ? null : { page: page.page + 1, limit: page.limit };
}

function tail(next: Fitted['next'], hidden: number): string[] {
  const more = hidden > 0 ? [`${hidden} more rows are in structuredContent.`] : [];
  if (next === null) return more;
  const isEnd = Object.keys(next).length === 0;
  return [...more, isEnd ? 'REST has the rest.' : `For more, call again with ${JSON.stringify(next)}.`];
}

/** The lines from the first on that fit. */
function within(lines: readonly string[], room: number): string[] {
  const end = lines.findIndex((_, at) => bytes(lines.slice(0, at + 1)) > room);
  return lines.slice(0, end < 0 ? lines.length : end);
}

function bytes(lines: readonly string[]): number {
  return Buffer.byteLength(lines.join('\n')) + 1;
}

/** The value at a path such as `fund.name`; of a list, that of each item. Nothing for what is absent. */
function textAt(node: unknown, path: string, most: number): string {
  const text = flat(valueAt(node, path.split('.')));
  return text.length > most ? `${[...text].slice(0, most - 1).join('')}…` : text;
}

function valueAt(node: unknown, [name, ...rest]: readonly string[]): unknown {
  if (name === undefined || node === null || typeof node !== 'object') return node;
  if (Array.isArray(node)) return node.map((item) => valueAt(item, [name, ...rest]));
  return valueAt((node as Readonly<Record<string, unknown>>)[name], rest);
}

function flat(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(flat).join('; ');
  if (typeof value !== 'object') return String(value).replace(/\s+/g, ' ');
  const members = Object.entries(value).filter(([, item]) => flat(item) !== '');
  return members.map(([name, item]) => `${name} ${flat(item)}`).join(', ');
}
