import { type Columns, clearPairAt, columnsOf, overlaps } from './columns.ts';
import type { Line, Span } from './lines.ts';

/** What stands right above a page. */
type Top = {
  /** True for a ruler: what follows is table, not heading. */
  readonly ruled: boolean;
  /** True when that ruler closes the rows of the page before: a total follows. */
  readonly closes: boolean;
};

/** Columns right of the shares, as the heading gives them. */
export type Heading = {
  /** Voting authority: sole, shared and none. */
  readonly votes: readonly Span[] | null;
  /** Discretion as a mark in one of three columns: sole, shared-defined, shared-other. */
  readonly discretion: readonly Span[] | null;
};

export const NO_HEADING: Heading = { votes: null, discretion: null };

/** `<S> <C> <C>` or five dashed groups; a lone dashed line belongs to a total. */
const MARKS = /<(?:S|C|PAGE|TABLE|\/TABLE)>/i;
const MARKERS = /<[SC]>/i;
const DASHES = /^[-=_]+$/;
const RULER_GROUPS = 5;
/** Issuer to voting authority: a ruler of fewer groups does not name the voting columns. */
const FULL_RULER_GROUPS = 9;
/** Issuer, class, CUSIP, value, shares, three of discretion, managers, three of votes. */
const MARKED_RULER_GROUPS = 12;

export function isRule(line: Line): boolean {
  return line.words.length > 0 && line.words.every(({ text }) => DASHES.test(text));
}

/** Splits the text at EDGAR's marks and at the rulers of tables; the marks themselves are in no page. */
export function pagesOf(lines: readonly Line[]): readonly Page[] {
  const pages: Page[] = [];
  let current: Line[] = [];
  let top: Top = { ruled: false, closes: false };
  let heading = NO_HEADING;
  for (const line of lines) {
    heading = headingIn(line) ?? heading;
    if (!isMark(line)) {
      current.push(line);
      continue;
    }
    const page = pageOf(current, top, heading);
    if (current.length > 0) pages.push(page);
    const closes = isRuler(line) && (current.length > 0 ? endsInRow(page) : top.closes);
    top = { ruled: MARKERS.test(line.text) || isRuler(line), closes };
    current = [];
  }
  pages.push(pageOf(current, top, heading));
  return pages.filter((page) => page.lines.length > 0);
}

/** True when the last line with words is a row: then a ruler below it does not belong to a heading. */
function endsInRow({ lines, columns }: Page): boolean {
  const last = lines.findLast((line) => line.words.length > 0);
  return columns !== null && last !== undefined && clearPairAt(last.words, columns) >= 0;
}

function isMark(line: Line): boolean {
  return isRuler(line) || (line.text.includes('<') && MARKS.test(line.text));
}

function isRuler(line: Line): boolean {
  return line.words.length >= RULER_GROUPS && isRule(line);
}

/** The lines between two page marks, table tags or rulers, with the columns found in them. */
export type Page = ReturnType<typeof pageOf>;

function pageOf(lines: readonly Line[], top: Top, heading: Heading) {
  const columns = columnsOf(lines);
  const starts = columns === null ? [] : lines.flatMap((line) => issuerStart(line, columns) ?? []);
  /** An issuer begins at or left of this; a name further right continues the one above. */
  const indent = starts.reduce((least, start) => Math.min(least, start), Number.POSITIVE_INFINITY);
  return { ...top, lines, columns, heading, indent };
}

/** Null when the line is not a row. */
function issuerStart({ words }: Line, { cusip, value }: Columns): number | null {
  const [first] = words;
  const isRow =
    first !== undefined && first.start < cusip.start && words.some((word) => overlaps(word, value));
  return isRow ? first.start : null;
}

/** A dashed ruler gives whole columns; the words of a heading only their position. */
function headingIn(line: Line): Heading | null {
  const { words } = line;
  if (isRule(line)) {
    if (words.length < FULL_RULER_GROUPS) return null;
    const marked = words.length === MARKED_RULER_GROUPS ? words.slice(5, 8) : null;
    return { votes: words.slice(-3), discretion: marked };
  }
  const upper = words.map(({ text }) => text.toUpperCase());
  const none = upper.lastIndexOf('NONE');
  const shared = upper.lastIndexOf('SHARED', none);
  const sole = upper.lastIndexOf('SOLE', shared);
  const votes = [words[sole], words[shared], words[none]].filter((word) => word !== undefined);
  return sole >= 0 && votes.length === 3 ? { votes, discretion: null } : null;
}
