import { isNumber } from './columns.ts';
import type { RowLine } from './line.ts';
import { irregular, type Line } from './lines.ts';

/** Headings have up to ten lines in the real reports. */
const HEADING_LINES = 20;
const VALUE = /^[("]?value\b/i;
/** A price is not a value, and a column of prices may be the first of two numbers. */
const PRICE = /^[("]?(?:price|px)\b/i;
/** A column left of the share counts that may be mistaken for them; no total of values can show it. */
const NO_SHARES = /^[("]?(?:(?:price|px|cost|prior|previous|percent|pct|change)\b|%)/i;
const SHARES = /^[("]?(?:shares|shrs|shs|quantity|principal|units)\b/i;
/** Words of a sentence, not of a heading. A short line, or one in columns, may still be a heading. */
const SENTENCE = /\b(?:the|we|our|is|are|was|were|that|which)\b/i;
const SENTENCE_WORDS = 8;
/** Six characters or more that begin like a CUSIP. */
const CODE = /^(?:\d{3}|[A-Z]\d{2})[0-9A-Z*@#]{3,6}$/i;

/**
 * Two numbers after a CUSIP are value and shares in the order of the form. A table may have them in the other
 * order, or another column between. Throws `text_information_table` when the heading names such a column.
 * When no total proves the order, it also throws unless the heading has the value left of the shares and no
 * price.
 */
export function requireOrder(
  lines: readonly Line[],
  { line: firstRow, namesEnd, pair }: RowLine,
  isProven: boolean,
): void {
  const at = lines.indexOf(firstRow);
  const above = lines.slice(Math.max(0, at - HEADING_LINES), at).filter((line) => !isProse(line));
  const words = above.flatMap((line) => line.words.filter(({ end }) => end > namesEnd));
  const sharesEnd = firstRow.words[pair.shares]?.end ?? 0;
  if (words.some(({ text, start }) => start < sharesEnd && NO_SHARES.test(text))) {
    throw irregular('has a heading of another column left of its share counts', firstRow);
  }
  const value = Math.min(...words.filter(({ text }) => VALUE.test(text)).map(({ start }) => start));
  const shares = Math.min(...words.filter(({ text }) => SHARES.test(text)).map(({ start }) => start));
  const hasPrice = words.some(({ text }) => PRICE.test(text));
  if (isProven || (value < shares && Number.isFinite(shares) && !hasPrice)) return;
  throw irregular('has no heading that puts values before shares, and no total to prove it', firstRow);
}

/** A note above the table, not a heading: it has double blanks only after sentences. */
function isProse({ words, text }: Line): boolean {
  return words.length >= SENTENCE_WORDS && SENTENCE.test(text) && !/[^\s.:] {2,}\S/.test(text);
}

/** The error for a report without rows, with the first line that could be one. */
export function noRows(lines: readonly Line[]): Error {
  const heading = lines.findIndex(({ text }) => /cusip/i.test(text));
  const row = lines.slice(heading + 1).find(({ words }) => {
    return words.filter(isNumber).length > 0 && words.some(({ text }) => CODE.test(text));
  });
  if (heading < 0 || row === undefined) return irregular('no table of CUSIPs, values and share counts');
  return irregular('does not have a CUSIP of nine characters, a value and a share count side by side', row);
}
