import { type Cusip, isCusip } from '../../../domain/ids.ts';
import { cusipCheckDigitOk } from '../../../domain/security/listed.ts';
import type { Span, Word } from './lines.ts';

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
