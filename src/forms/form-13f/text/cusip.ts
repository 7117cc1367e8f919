import type { Cusip } from '../../../domain/ids.ts';
import { cusipCheckDigitOk } from '../../../domain/security/cusip.ts';
import type { Word } from './lines.ts';

/** A CUSIP as it stands in a line: from the word `first` to the place `end`. */
export type FoundCusip = {
  readonly cusip: Cusip;
  readonly asFiled: string;
  readonly first: number;
  readonly start: number;
  readonly end: number;
};

/** Six of the issuer, two of the issue, the check digit; numbers of foreign issuers begin with a letter. */
const SHAPE = /^(?:\d{3}|[A-Z]\d{2})[0-9A-Z*@#]{5}[0-9A-Z]$/;
/** `037833100`, `02581610 9`, `037833 100`, `025816 10 9`: nothing else is put together. */
const SPLITS: readonly (readonly number[])[] = [[9], [8, 1], [6, 3], [6, 2, 1]];

/**
 * The CUSIP whose last word is `words[last]`, blanks and hyphens taken out, upper case. It need not
 * pass the check digit: a filer's slip is kept as filed. Null when nothing there has its shape.
 */
export function cusipEndingAt(words: readonly Word[], last: number): FoundCusip | null {
  for (const split of SPLITS) {
    const first = last - split.length + 1;
    const parts = words.slice(Math.max(first, 0), last + 1);
    if (first < 0 || !split.every((size, at) => bare(parts[at]).length === size)) continue;
    const cusip = parts.map(bare).join('').toUpperCase();
    const [from, to] = [parts[0], parts.at(-1)];
    if (!SHAPE.test(cusip) || from === undefined || to === undefined) continue;
    const asFiled = parts.map((word) => word.text).join(' ');
    return { cusip: cusip as Cusip, asFiled, first, start: from.start, end: to.end };
  }
  return null;
}

/**
 * A CUSIP that the class before it touches, as in `NOTE 4.625% 6/107556QAL9`: only where it fills
 * the column of the other rows exactly and its check digit is right.
 */
export function cusipGluedIn(
  words: readonly Word[],
  last: number,
  column: { readonly start: number; readonly end: number },
): FoundCusip | null {
  const word = words[last];
  if (word === undefined || word.end !== column.end || word.start >= column.start) return null;
  const asFiled = word.text.slice(column.start - word.start);
  const cusip = asFiled.toUpperCase() as Cusip;
  if (!SHAPE.test(cusip) || !cusipCheckDigitOk(cusip)) return null;
  return { cusip, asFiled, first: last, start: column.start, end: column.end };
}

function bare(word: Word | undefined): string {
  return word === undefined ? '' : word.text.replaceAll('-', '');
}
