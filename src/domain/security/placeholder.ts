import { addDays } from '../calendar.ts';
import { type Cusip, type IsoDate, parseTicker, type Ticker } from '../ids.ts';
import { firstSeen, lastSeen, type SecurityMapping } from './mapping.ts';
import { RECYCLED_TICKER_DAYS } from './thresholds.ts';

/** What fails files print after a symbol around a corporate action: `XXXX` on the CUSIP that ends, `ZZZZ` on the next. */
export type Placeholder = 'XXXX' | 'ZZZZ';

/** `OIXXXX` as `OI` and its placeholder, any other symbol alone; null for text that is no symbol (rule 3.4). */
export function printedSymbol(text: string): { symbol: Ticker; placeholder?: Placeholder } | null {
  const [, root = text, placeholder] = /^(.+)(XXXX|ZZZZ)$/.exec(text) ?? [];
  const symbol = parseTicker(root);
  if (symbol === null) return null;
  return placeholder === undefined ? { symbol } : { symbol, placeholder: placeholder as Placeholder };
}

/** A placeholder says whose CUSIP it is, not that it traded under the symbol on that day. */
export function isPlaceholder(mapping: SecurityMapping): boolean {
  return mapping.placeholder !== undefined;
}

/**
 * The CUSIP and those that are one security with it by the placeholders of their symbol: `XXXX` on one
 * and `ZZZZ` on the next, a few days apart. One of the two alone proves nothing: a merger has it too.
 *
 * @param own all statements of a CUSIP under the symbol
 */
export function movedWith(cusip: Cusip | null, own: readonly SecurityMapping[]): ReadonlySet<Cusip | null> {
  const ended = own.filter(({ placeholder }) => placeholder === 'XXXX');
  const begun = own.filter(({ placeholder }) => placeholder === 'ZZZZ');
  const moves = ended.flatMap((from) => begun.flatMap((to) => (isNear(from, to) ? [[from, to]] : [])));
  const linked = new Set([cusip]);
  // The loop also visits what it adds.
  for (const one of linked) {
    for (const move of moves) {
      if (move.some((mapping) => mapping.cusip === one)) for (const end of move) linked.add(end.cusip);
    }
  }
  return linked;
}

function isNear(a: SecurityMapping, b: SecurityMapping): boolean {
  const ends = [a, b].map((mapping) => ({ from: firstSeen(mapping), to: lastSeen(mapping, LAST) }));
  const [one, other] = ends;
  if (!one?.from || !one.to || !other?.from || !other.to) return false;
  const [earlier, later] = one.from <= other.from ? [one.to, other.from] : [other.to, one.from];
  return later <= addDays(earlier, RECYCLED_TICKER_DAYS);
}

const LAST = '9999-12-31' as IsoDate;
