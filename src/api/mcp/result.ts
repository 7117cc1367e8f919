import type { CallToolResult } from '@modelcontextprotocol/server';
import { DID_YOU_MEAN } from '../cache/brief-lookup.ts';
import { rowsAt } from '../endpoint/csv.ts';
import type { Endpoint } from '../endpoint/endpoint.ts';
import type { Answered } from '../metering/idempotency.ts';
import type { Wanted } from './arguments.ts';
import { bytesOf, type Fitted, fitted } from './fit.ts';

type ToolResult = CallToolResult & { readonly structuredContent: Record<string, unknown> };

/** Of a whole result, text included: hosts cut larger ones, and a model reads no more. */
export const MAX_RESULT_BYTES = 64 * 1024;
/** When more was asked for. */
export const MAX_LARGE_RESULT_BYTES = 256 * 1024;
/** For the summary, escaped, and the names around both. */
const AROUND_BYTES = 5 * 1024;

/** The result of a tool: the whole REST body with its provenance, and a summary of it (rule 11.9). */
export function resultOf(answered: Answered, endpoint: Endpoint, wanted: Wanted): ToolResult {
  const body = answered.kind === 'stored' ? JSON.parse(answered.brief.body.toString()) : answered.body;
  const maxBytes = jsonBound(wanted);
  const fit = fitted(endpoint, body, { wanted, maxBytes: maxBytes - MIN_PROVENANCE });
  // What has no pages is said once then, in place of twice: more of it fits.
  if (wanted.isJson && isEnd(fit)) return resultOf(answered, endpoint, { ...wanted, isJson: false });
  const next = isEnd(fit) ? {} : { next: fit.next };
  const cut = fit.next === null ? {} : { truncated: true, ...next };
  const provenance = provenanceWithin(fit.body, maxBytes);
  const meant = meantIn(answered);
  const structuredContent = { ...fit.body, ...cut, ...meant, provenance };
  const text = wanted.isJson ? JSON.stringify(structuredContent) : summaryOf(endpoint, fit, meant);
  return { content: [{ type: 'text', text }], structuredContent };
}

/** The ticker near to one that no source knows. It is beside the brief, whose bytes have its id. */
function meantIn({ headers = [] }: Answered): { readonly did_you_mean?: string } {
  const at = headers.indexOf(DID_YOU_MEAN);
  const ticker = at === -1 ? undefined : headers[at + 1];
  return ticker === undefined ? {} : { did_you_mean: ticker };
}

/** Rows were cut that no other call brings. */
function isEnd({ next }: Fitted): boolean {
  return next !== null && Object.keys(next).length === 0;
}

/** Bytes for the JSON itself. As text it stands there twice, the second time with its quotes escaped. */
function jsonBound({ isJson, isLarge }: Wanted): number {
  const whole = isLarge ? MAX_LARGE_RESULT_BYTES : MAX_RESULT_BYTES;
  return isJson ? Math.floor(whole / 2.5) : whole - AROUND_BYTES;
}

/** An accession number with its quotes and comma. */
const ACCESSION_BYTES = 23;
/** With some accession numbers; a body that leaves more room has all of its filings named. */
const MIN_PROVENANCE = 1_024;

function provenanceWithin(body: Fitted['body'], maxBytes: number) {
  const { accession_numbers, ...rest } = provenanceOf(body);
  const room = Math.max(MIN_PROVENANCE, maxBytes - bytesOf(body)) - bytesOf(rest);
  return {
    ...rest,
    accession_numbers: accession_numbers.slice(0, Math.max(0, Math.floor(room / ACCESSION_BYTES) - 2)),
  };
}

/** A REST error as a result, so that the model can read it: the sentence, then the object. */
export function failureOf(envelope: Record<string, unknown>): ToolResult {
  const text = `${envelope['message']}\n${JSON.stringify(envelope)}`;
  return { content: [{ type: 'text', text }], structuredContent: envelope, isError: true };
}

const ACCESSION = /^\d{10}-\d{2}-\d{6}$/;

/**
 * The source of a result, in the same form for every tool (rule 11.9). Read from the body, so a new
 * endpoint needs nothing for it.
 */
export function provenanceOf(body: unknown) {
  const [accessions, times, versions] = [new Set<string>(), new Set<string>(), new Set<string>()];
  const members = { accession_number: accessions, retrieved_at: times, parser_version: versions };
  collect(body, new Map(Object.entries(members)));
  return {
    source: 'SEC EDGAR',
    accession_numbers: [...accessions].filter((text) => ACCESSION.test(text)),
    // ISO 8601 in UTC sorts by time.
    retrieved_at: [...times].sort().at(-1) ?? null,
    parser_version: [...versions].sort().join(', ') || null,
  };
}

function collect(node: unknown, found: ReadonlyMap<string, Set<string>>): void {
  if (node === null || typeof node !== 'object') return;
  for (const [name, value] of Object.entries(node)) {
    if (typeof value === 'string') found.get(name)?.add(value);
    else if (name === 'evidence_ids' && Array.isArray(value)) {
      // `sec:13f:<accession>`, `sec:form4:<accession>`.
      for (const id of value) found.get('accession_number')?.add(String(id).split(':').at(-1) ?? '');
    } else collect(value, found);
  }
}

/** A summary is read with each answer, so it is short; the whole is beside it, for programs. */
const MAX_BYTES = 2_048;
/** For the line about what is left out. */
const TAIL_BYTES = 260;
const MAX_FACT = 420;
const MAX_CELL = 80;
/** Of the sentences that say what an answer lacks: none is cut, because its end may be what it says. */
const MAX_SENTENCES = 800;

/** What a model reads first: the facts of an answer, then its rows as far as they fit, with their ids (rule 11.9). */
function summaryOf({ title, digest }: Endpoint, { body, next }: Fitted, beside: object): string {
  const facts = digest.facts.flatMap((path) => {
    const text = textAt(body['data'], path, MAX_FACT);
    return text === '' ? [] : [`${path}: ${text}`];
  });
  const hints = Object.entries(beside).map(([name, text]) => `${name}: ${text}`);
  const head = within([title, ...hints, ...facts], MAX_BYTES - TAIL_BYTES);
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
  const value = valueAt(node, path.split('.'));
  if (path.endsWith('limitations') && Array.isArray(value)) return sentencesOf(value.map(flat));
  const text = flat(value);
  return text.length > most ? `${[...text].slice(0, most - 1).join('')}…` : text;
}

function sentencesOf(all: readonly string[]): string {
  const shown = within(all, MAX_SENTENCES);
  const rest = all.length - shown.length;
  return [...shown, ...(rest > 0 ? [`${rest} more in structuredContent.`] : [])].join(' ');
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
