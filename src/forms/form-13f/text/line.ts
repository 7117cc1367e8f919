import type { Cusip } from '../../../domain/ids.ts';
import { cusipCheckDigitOk } from '../../../domain/security/cusip.ts';
import {
  type Columns,
  clearPairAt,
  cusipEndingAt,
  cusipGluedIn,
  type FoundCusip,
  isClear,
  isNumber,
  type NumberPair,
  overlaps,
  pairAt,
} from './columns.ts';
import type { Line, Word } from './lines.ts';
import { isRule } from './page.ts';

/** What one line of the table is. */
export type Reading =
  | { readonly kind: 'row'; readonly row: RowLine }
  | { readonly kind: 'total'; readonly value: Word | null }
  /** A rule above a total. */
  | { readonly kind: 'rule' }
  /** Continues the managers or votes of the row above. */
  | { readonly kind: 'tail' }
  /** Part of an issuer or class that takes several lines. */
  | { readonly kind: 'name' }
  | { readonly kind: 'nothing' }
  /** Digits in the columns of value or shares that are neither a row nor a total. */
  | { readonly kind: 'irregular'; readonly why: string };

export type RowLine = {
  readonly line: Line;
  readonly pair: NumberPair;
  /** Null when the line has none, or a code that is not a CUSIP. */
  readonly cusip: Cusip | null;
  readonly cusipAsFiled: string;
  /** True when issuer, class and CUSIP are those of the row above. */
  readonly inherits: boolean;
  /** True when CUSIP, value and shares are each in their own column only. */
  readonly clear: boolean;
  /** Position where issuer and class end. */
  readonly namesEnd: number;
};

const TOTAL = /\b(?:sub-?)?totals?\b|\brecords\b|\bsummary\b/i;
/** A code in place of a CUSIP, too short or too long. */
const CODE = /^(?=.*\d)[0-9A-Za-z*@#]{6,12}$/;

/**
 * Classifies one line between a ruler and the end of its page. A line with digits in the columns of value
 * or shares is never skipped: a lost row would look like a sale.
 */
export function readingOf(line: Line, columns: Columns, afterRule: boolean): Reading {
  if (line.words.length === 0) return { kind: 'nothing' };
  if (isRule(line)) return { kind: 'rule' };
  const row = rowWithCusip(line, columns) ?? rowInColumns(line, columns, afterRule);
  if (row !== null) return row;
  const other = otherLine(line, columns);
  if (cusipIn(line, columns) === null) return totalIn(line, columns, afterRule) ?? other;
  // If skipped, the figures below would go to the security above.
  const why = 'has a CUSIP without a value and a share count';
  return other.kind === 'irregular' ? other : { kind: 'irregular', why };
}

function rowWithCusip(line: Line, columns: Columns): Reading | null {
  for (let at = 1; at < line.words.length - 1; at += 1) {
    const pair = pairAt(line.words, at);
    if (pair === null) continue;
    const found = cusipEndingAt(line.words, at - 1) ?? cusipGluedIn(line.words, at - 1, columns.cusip);
    // A share count and the mark after it may look like a CUSIP.
    if (found === null || !(overlaps(found, columns.cusip) || cusipCheckDigitOk(found.cusip))) continue;
    const { cusip, asFiled: cusipAsFiled, start: namesEnd } = found;
    const clear = overlaps(found, columns.cusip) && isClear(line.words, pair, columns);
    return { kind: 'row', row: { line, pair, cusip, cusipAsFiled, inherits: false, clear, namesEnd } };
  }
  return null;
}

/** A code that looks like a CUSIP, in the column of the page's CUSIPs. */
export function cusipIn({ words }: Line, columns: Columns): FoundCusip | null {
  for (let last = 0; last < words.length; last += 1) {
    const found = cusipEndingAt(words, last);
    if (found !== null && overlaps(found, columns.cusip)) return found;
  }
  return null;
}

/** Two numbers in the two columns without a CUSIP: another row of the security above, or totals. */
function rowInColumns(line: Line, columns: Columns, afterRule: boolean): Reading | null {
  const { words } = line;
  const at = clearPairAt(words, columns);
  const pair = pairAt(words, at);
  if (at < 0 || pair === null) return null;
  if (TOTAL.test(line.text) || (afterRule && at === 0))
    return { kind: 'total', value: words[pair.value] ?? null };
  const first = words.findIndex((word) => overlaps(word, columns.cusip));
  const code = first < 0 ? [] : words.slice(first, at);
  const cusipAsFiled = code.map(({ text }) => text).join(' ');
  if (at > 0 && !CODE.test(cusipAsFiled.replaceAll(' ', '')))
    return { kind: 'irregular', why: 'names a security without a CUSIP' };
  const namesEnd = code[0]?.start ?? columns.cusip.start;
  return {
    kind: 'row',
    row: { line, pair, cusip: null, cusipAsFiled, inherits: at === 0, clear: true, namesEnd },
  };
}

/** A single number below a rule or in the value column, or any line with a word for totals. */
function totalIn({ words, text }: Line, columns: Columns, afterRule: boolean): Reading | null {
  const numbers = words.filter(isNumber);
  const inValue = numbers.filter((word) => overlaps(word, columns.value));
  const isLone = numbers.length === 1 && words.every((word) => isNumber(word) || word.text === '$');
  const isInPlace = afterRule || inValue.some((word) => !overlaps(word, columns.shares));
  if (!(isLone && isInPlace) && !TOTAL.test(text)) return null;
  return { kind: 'total', value: (isLone ? numbers : inValue)[0] ?? null };
}

function otherLine(line: Line, { cusip, value, shares }: Columns): Reading {
  const { words } = line;
  const figures = words.filter((word) => /\d/.test(word.text));
  if (figures.some((word) => overlaps(word, value) || overlaps(word, shares))) {
    return { kind: 'irregular', why: 'is neither a row nor a total' };
  }
  if (words.every((word) => word.start >= shares.end)) return { kind: 'tail' };
  return words.every((word) => word.end <= cusip.start) ? { kind: 'name' } : { kind: 'nothing' };
}
