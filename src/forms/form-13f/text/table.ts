import { cusipCheckDigitOk } from '../../../domain/security/cusip.ts';
import { MAX_ROWS, ParseError } from '../../parse-error.ts';
import { parseAmount } from '../../value.ts';
import type { Columns } from './columns.ts';
import { cusipIn, type Reading, type RowLine, readingOf } from './line.ts';
import { irregular, type Line, type Word } from './lines.ts';
import { isOptionSection, joined, type Names, NO_NAMES, namesIn } from './option.ts';
import { type Heading, NO_HEADING, type Page, pagesOf } from './page.ts';
import type { TailWords } from './tail.ts';

/** A row with its complete names; the numbers are not read yet. */
export type TextRow = RowLine & {
  readonly names: Names;
  /** The words right of the shares. */
  readonly tail: TailWords;
  readonly heading: Heading;
  /** True below a line that names options. */
  readonly amongOptions: boolean;
};

type Draft = { -readonly [Field in keyof TextRow]: TextRow[Field] };

/** Names have up to four lines, more is a note. The longest list of managers seen has 18 numbers. */
const MAX_NAME_LINES = 8;
const MAX_TAIL_WORDS = 128;
const TEXT: ReadonlySet<Reading['kind']> = new Set(['name', 'nothing', 'tail']);
/** State of the walk: `pending` is a name without its row yet, `nameLines` counts name lines since a row. */
type Walk = ReturnType<typeof startWalk>;

function startWalk() {
  return {
    rows: [] as Draft[],
    pending: null as { readonly names: Names; readonly start: number } | null,
    nameLines: 0,
    afterRule: false,
    amongOptions: false,
    /** The last total in the table itself; null when it has none. */
    total: null as bigint | null,
  };
}

/**
 * The rows of a text table in filed order, over all its pages. A page counts from its ruler, or without
 * one from its first row. A page without a plain row is read with the columns of the page before. Throws
 * `text_information_table` with the line that it cannot read, and `too_many_rows`.
 */
export function readTextTable(lines: readonly Line[]): Walk {
  const walk = startWalk();
  const pages = pagesOf(lines);
  const first = pages.find((page) => page.columns !== null)?.columns ?? null;
  let columns: Columns | null = null;
  for (const page of pages) {
    walk.pending = null;
    walk.nameLines = 0;
    walk.afterRule = page.closes;
    columns = page.columns ?? columns;
    if (columns !== null && page.columns === null) requireNoRow(page, columns);
    if (columns !== null && (page.columns !== null || page.ruled)) readPage(walk, page, columns);
    else if (first !== null) passPage(walk, page, columns ?? first);
  }
  return walk;
}

/** A heading that a ruler separates from its rows may still name them as options. */
function passPage(walk: Walk, { lines }: Page, columns: Columns): void {
  walk.amongOptions ||= lines.some((line) => namesOptions(line, readingOf(line, columns, false), columns));
}

/** Only lines without figures: an option in another line is a row, or an error. */
function namesOptions(line: Line, reading: Reading, columns: Columns): boolean {
  const isText = reading.kind === 'total' ? reading.value === null : TEXT.has(reading.kind);
  return isText && isOptionSection(line, columns);
}

/** A page without columns is not part of the table, unless it has a CUSIP in place and a figure. */
function requireNoRow({ lines }: Page, columns: Columns): void {
  const row = lines.find((line) => {
    const { cusip, end } = cusipIn(line, columns) ?? { cusip: null, end: 0 };
    if (cusip === null || !cusipCheckDigitOk(cusip)) return false;
    return line.words.some(({ start, text }) => start >= end && /^\$?\d/.test(text));
  });
  if (row !== undefined) throw irregular('has a CUSIP on a page without a readable row', row);
}

function readPage(walk: Walk, page: Page, columns: Columns): void {
  let open = page.ruled;
  for (const line of page.lines) {
    const reading = readingOf(line, columns, walk.afterRule);
    if (namesOptions(line, reading, columns)) {
      noteOptions(walk);
      continue;
    }
    // Above the first row is the heading, which may have any figures.
    open ||= reading.kind === 'row';
    if (open) take(walk, reading, { line, page, columns });
  }
}

/** A class that continues below its row looks the same, so the row above is in doubt too. */
function noteOptions(walk: Walk): void {
  walk.amongOptions = true;
  const above = walk.rows.at(-1);
  if (above !== undefined) above.amongOptions = true;
}

type At = { readonly line: Line; readonly page: Page; readonly columns: Columns };

function take(walk: Walk, reading: Reading, at: At): void {
  const { line } = at;
  if (line.words.length > 0) walk.afterRule = reading.kind === 'rule';
  if (reading.kind === 'row') addRow(walk, reading.row, at);
  else if (reading.kind === 'total') noteTotal(walk, reading.value);
  else if (reading.kind === 'tail') extendTail(walk, line);
  else if (reading.kind === 'name') addName(walk, at);
  // A page without a plain row may not be part of the table.
  else if (reading.kind === 'irregular' && at.page.columns !== null) throw irregular(reading.why, line);
}

function addRow(walk: Walk, row: RowLine, { page, columns }: At): void {
  const above = walk.rows.at(-1);
  if (row.inherits && (above === undefined || walk.pending !== null)) {
    throw irregular('has no CUSIP of its own and no row of its security above', row.line);
  }
  if (walk.rows.length >= MAX_ROWS) throw new ParseError('too_many_rows', `more than ${MAX_ROWS}`);
  walk.rows.push({
    ...row,
    ...(row.inherits && above ? { cusip: above.cusip, cusipAsFiled: above.cusipAsFiled } : {}),
    names: row.inherits && above ? above.names : namesOf(walk, row, columns),
    tail: { words: row.line.words.slice(row.pair.shares + 1), more: [] },
    heading: row.line.tabbed ? NO_HEADING : page.heading,
    amongOptions: walk.amongOptions,
  });
  walk.pending = null;
  walk.nameLines = 0;
}

/** A row that begins further right than the name lines above completes their name. */
function namesOf({ pending, rows }: Walk, row: RowLine, columns: Columns): Names {
  const own = namesIn(row.line.text.slice(0, row.namesEnd), columns);
  const begins = row.line.words[0]?.start ?? 0;
  const names = pending !== null && begins > pending.start ? joined(pending.names, own) : own;
  const above = rows.at(-1)?.names ?? NO_NAMES;
  return names.issuer === '' ? { ...names, issuer: above.issuer } : names;
}

/** A name begins where issuers begin. Further right it continues the pending name, or the row above. */
function addName(walk: Walk, { line, page, columns }: At): void {
  if (walk.nameLines >= MAX_NAME_LINES) return;
  walk.nameLines += 1;
  const names = namesIn(line.text, columns);
  const start = line.words[0]?.start ?? 0;
  const { pending } = walk;
  const above = walk.rows.at(-1);
  if (pending !== null && start > pending.start)
    walk.pending = { ...pending, names: joined(pending.names, names) };
  else if (start <= page.indent) walk.pending = { names, start };
  else if (above !== undefined) above.names = joined(above.names, names);
}

function extendTail(walk: Walk, line: Line): void {
  const above = walk.rows.at(-1);
  if (above === undefined) return;
  if (above.tail.more.length > MAX_TAIL_WORDS) throw irregular('has more managers than any row', line);
  above.tail = { ...above.tail, more: [...above.tail.more, ...line.words] };
}

function noteTotal(walk: Walk, word: Word | null): void {
  const value = word === null ? null : (parseAmount(word.text.replace('$', ''))?.value ?? null);
  if (value !== null) walk.total = value;
}
