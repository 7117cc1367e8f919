import { type Row, rowsAt } from '../endpoint/csv.ts';
import type { Endpoint } from '../endpoint/endpoint.ts';
import type { Wanted } from './arguments.ts';

type Body = Row;

/** A body that fits its bound; `next` are the arguments that fetch what was cut, none when only REST has it; null when nothing was. */
export type Fitted = { readonly body: Body; readonly next: Row | null };

type Bound = { readonly wanted: Wanted; readonly maxBytes: number };

/**
 * The body with as many rows as fit into `maxBytes` (rule 11.9). Nothing is lost: the next page begins after the
 * last row that is left, because the rows on a page divide the rows before it; a cursor stands at that row.
 */
export function fitted({ digest }: Endpoint, body: Body, { wanted, maxBytes }: Bound): Fitted {
  if (bytesOf(body) <= maxBytes) return { body, next: null };
  const { page, limit } = wanted.input;
  const { at = '' } = digest.rows ?? {};
  const rows = rowsAt(body, at);
  if (rows === null) return shortened(body, { wanted, maxBytes });
  const fit = Math.max(1, countWithin(rows, maxBytes - bytesOf(withRows(body, at, []))));
  if (typeof page === 'number' && typeof limit === 'number') {
    const before = (page - 1) * limit;
    const count = largestDivisor(before, fit);
    return {
      body: withRows(body, at, rows.slice(0, count)),
      next: { page: before / count + 2, limit: count },
    };
  }
  const cursor = rows[fit - 1]?.['seq'];
  if (cursor === undefined) return shortened(body, { wanted, maxBytes });
  const since = String(cursor);
  const cut = withRows(body, at, rows.slice(0, fit));
  return { body: { ...cut, data: { ...dataOf(cut), next_cursor: since } }, next: { since } };
}

export function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

function dataOf(body: Body): Row {
  return body['data'] as Row;
}

function withRows(body: Body, at: string, rows: readonly Row[]): Body {
  return { ...body, data: at === '' ? rows : { ...dataOf(body), [at]: rows } };
}

function countWithin(rows: readonly Row[], room: number): number {
  let used = 0;
  const end = rows.findIndex((row) => {
    used += bytesOf(row) + 1;
    return used > room;
  });
  return end < 0 ? rows.length : end;
}

/** The largest divisor of `total` that is at most `most`; any number divides 0. */
function largestDivisor(total: number, most: number): number {
  let divisor = most;
  while (total % divisor !== 0) divisor -= 1;
  return divisor;
}

/** What has no pages loses the ends of its longest lists; a larger result has the whole. */
function shortened(body: Body, { wanted, maxBytes }: Bound): Fitted {
  const copy = structuredClone(body);
  while (bytesOf(copy) > maxBytes) {
    const [longest] = listsIn(copy)
      .map((list) => ({ list, bytes: bytesOf(list) }))
      .sort((a, b) => b.bytes - a.bytes);
    if (longest === undefined) break;
    const { list } = longest;
    list.length = Math.floor(list.length / 2);
  }
  return { body: copy, next: wanted.isLarge ? {} : { text: 'json' } };
}

function listsIn(node: unknown): unknown[][] {
  if (node === null || typeof node !== 'object') return [];
  const below = Object.values(node).flatMap(listsIn);
  return Array.isArray(node) && node.length > 0 ? [node, ...below] : below;
}
