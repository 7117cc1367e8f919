import { countBy } from '../../../domain/group.ts';
import { type Cusip, isCusip } from '../../../domain/ids.ts';
import { cusipCheckDigitOk } from '../../../domain/security/cusip.ts';
import type { Line, Span, Word } from './lines.ts';

/**
 * The columns of a page, found in its own rows, never assumed: the median start and the median end of the
 * entries of each.
 */
export type Columns = {
  readonly cusip: Span;
  readonly value: Span;
  readonly shares: Span;
  /** Where most titles of class begin; null when they do not line up. */
  readonly titleStart: number | null;
};

/** Two adjacent numbers: the words at `value` and `shares`. */
export type NumberPair = { readonly value: number; readonly shares: number };

const NUMBER = /^\$?-?(?:\d{1,15}|\d{1,3}(?:,\d{3}){1,5})(?:\.\d{0,10})?$/;

export function isNumber(word: Word | undefined): boolean {
  return word !== undefined && NUMBER.test(word.text);
}

/** The two numbers from `words[at]` on, each possibly after a `$`; null when there are none. */
export function pairAt(words: readonly Word[], at: number): NumberPair | null {
  const value = words[at]?.text === '$' ? at + 1 : at;
  const shares = words[value + 1]?.text === '$' ? value + 2 : value + 1;
  return isNumber(words[value]) && isNumber(words[shares]) ? { value, shares } : null;
}

/**
 * Finds the columns of a page in its plain rows: a CUSIP with a correct check digit, a value and a share
 * count in the order of the form. Null when the page has no such row.
 */
export function columnsOf(lines: readonly Line[]): Columns | null {
  const rows = lines.flatMap(plainRow);
  if (rows.length === 0) return null;
  return {
    cusip: middle(rows.map((row) => row.cusip)),
    value: middle(rows.map((row) => row.value)),
    shares: middle(rows.map((row) => row.shares)),
    titleStart: mostOf(rows.flatMap((row) => row.titleStart ?? [])),
  };
}

/** Where two numbers begin that are each in their own column only; -1 when there are none. */
export function clearPairAt(words: readonly Word[], columns: Columns): number {
  return words.findIndex((_, at) => {
    const pair = pairAt(words, at);
    return pair !== null && isClear(words, pair, columns);
  });
}

/** True when each number of the pair is in its own column only. */
export function isClear(words: readonly Word[], pair: NumberPair, { value, shares }: Columns): boolean {
  return isIn(words[pair.value], value, shares) && isIn(words[pair.shares], shares, value);
}

function isIn(word: Word | undefined, column: Span, other: Span): boolean {
  return word !== undefined && overlaps(word, column) && !overlaps(word, other);
}

export function overlaps(a: Span, b: Span): boolean {
  return a.start < b.end && b.start < a.end;
}

/** The columns as one plain row shows them; none for any other line. */
function plainRow({ words, text }: Line): Columns[] {
  for (let last = 0; last < words.length - 2; last += 1) {
    const pair = pairAt(words, last + 1);
    const found = pair === null ? null : cusipEndingAt(words, last);
    if (pair === null || found === null || !cusipCheckDigitOk(found.cusip)) continue;
    const [value, shares] = [words[pair.value], words[pair.shares]];
    if (value === undefined || shares === undefined) continue;
    return [{ cusip: found, value, shares, titleStart: lastFieldStart(text.slice(0, found.start)) }];
  }
  return [];
}

/** Where the last field begins, after two blanks or more; null when there is only one field. */
export function lastFieldStart(text: string): number | null {
  const trimmed = text.trimEnd();
  const gap = trimmed.lastIndexOf('  ');
  return gap < 0 || trimmed.slice(0, gap).trim() === '' ? null : gap + 2;
}

function middle(spans: readonly Span[]): Span {
  return { start: median(spans.map(({ start }) => start)), end: median(spans.map(({ end }) => end)) };
}

function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

function mostOf(numbers: readonly number[]): number | null {
  const [best] = [...countBy(numbers, (number) => number)].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
  return best?.[0] ?? null;
}

/** A CUSIP in a line. */
export type FoundCusip = Span & { readonly cusip: Cusip; readonly asFiled: string };

/** Issuer, issue and check digit; issuer codes outside the US and Canada begin with a letter. */
const SHAPE = /^(?:\d{3}|[A-Z]\d{2})[0-9A-Z*@#]{5}[0-9A-Z]$/;
/** `037833100`, `02581610 9`, `037833 100`, `025816 10 9`; no other parts are joined. */
const SPLITS: readonly (readonly number[])[] = [[9], [8, 1], [6, 3], [6, 2, 1]];

/**
 * The CUSIP whose last word is `words[last]`, in upper case, without blanks and hyphens. The check digit
 * may be wrong: a filer's error is kept as filed. Null when nothing there looks like a CUSIP.
 */
export function cusipEndingAt(words: readonly Word[], last: number): FoundCusip | null {
  for (const split of SPLITS) {
    const first = last - split.length + 1;
    const parts = words.slice(Math.max(first, 0), last + 1);
    if (first < 0 || !split.every((size, at) => bare(parts[at]).length === size)) continue;
    const cusip = parts.map(bare).join('').toUpperCase();
    const [from, to] = [parts[0], parts.at(-1)];
    if (!isCusip(cusip) || !SHAPE.test(cusip) || from === undefined || to === undefined) continue;
    const asFiled = parts.map((word) => word.text).join(' ');
    return { cusip, asFiled, start: from.start, end: to.end };
  }
  return null;
}

/**
 * A CUSIP without a blank after the class, as in `NOTE 4.625% 6/107556QAL9`. It must fill the column of the
 * other rows exactly and have a correct check digit.
 */
export function cusipGluedIn(words: readonly Word[], last: number, column: Span): FoundCusip | null {
  const word = words[last];
  if (word === undefined || word.end !== column.end || word.start >= column.start) return null;
  const asFiled = word.text.slice(column.start - word.start);
  const cusip = asFiled.toUpperCase();
  if (!isCusip(cusip) || !SHAPE.test(cusip) || !cusipCheckDigitOk(cusip)) return null;
  return { cusip, asFiled, start: column.start, end: column.end };
}

function bare(word: Word | undefined): string {
  return word === undefined ? '' : word.text.replaceAll('-', '');
}
