import type { FilingHeader, InfoTableRow, TextConfidence } from '../../../domain/filing/filing.ts';
import { groupBy } from '../../../domain/group.ts';
import { abs } from '../../../domain/money.ts';
import { parseQuarterEnd } from '../../../domain/quarter.ts';
import { comparedWithTotal } from '../../../domain/report/scale.ts';
import { ParseError } from '../../parse-error.ts';
import type { Submission } from '../../sgml.ts';
import type { Cover } from '../cover.ts';
import { isNumber } from './columns.ts';
import { readTextCover } from './cover.ts';
import type { RowLine } from './line.ts';
import { irregular, type Line, linesOf } from './lines.ts';
import { rowsOf } from './rows.ts';
import { readTextTable } from './table.ts';

/**
 * A report as EDGAR accepted it until May 2013: cover, summary and table as text in columns. Every figure
 * is read from a position that the table itself shows. Throws `text_information_table` with the line for
 * an irregular table: a wrong number is worse than none. A notice has no table and no confidence.
 */
export function readTextReport({ header, documents }: Submission) {
  const lines = linesOf(documents);
  const stated = readTextCover(lines);
  const { reportType } = stated;
  if (reportType === null) throw irregular('the cover page does not state the type of report');
  const cover: Cover = { ...stated, reportType, quarterEnd: stated.quarterEnd ?? periodOf(header) };
  if (reportType === 'notice') return { cover, rows: [], textConfidence: null };
  const table = readTextTable(lines);
  if (table.rows.length === 0 && cover.declaredEntryTotal !== 0) throw noRows(lines);
  const inherited = table.rows.map(({ inherits }) => inherits);
  const rows = markOddPrices(rowsOf(table.rows), inherited);
  const verdict = verdictOf(rows, {
    entries: cover.declaredEntryTotal,
    value: cover.declaredValueTotal,
    tableTotal: table.total,
  });
  const [first] = table.rows;
  if (first !== undefined) requireOrder(lines, first, verdict.isProven);
  return { cover, rows, textConfidence: verdict.confidence };
}

/** The quarter of the header, used when the cover's is not readable: EDGAR asked for it separately. */
function periodOf({ periodOfReport }: FilingHeader): Cover['quarterEnd'] {
  const quarterEnd = parseQuarterEnd(periodOfReport ?? '');
  if (quarterEnd !== null) return quarterEnd;
  throw new ParseError('period_invalid', `cover and header give ${periodOfReport ?? 'none'}`);
}

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
function requireOrder(
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
function noRows(lines: readonly Line[]): Error {
  const heading = lines.findIndex(({ text }) => /cusip/i.test(text));
  const row = lines.slice(heading + 1).find(({ words }) => {
    return words.filter(isNumber).length > 0 && words.some(({ text }) => CODE.test(text));
  });
  if (heading < 0 || row === undefined) return irregular('no table of CUSIPs, values and share counts');
  return irregular('does not have a CUSIP of nine characters, a value and a share count side by side', row);
}

/**
 * Marks rows whose value per share differs from that of the other rows of the security: a digit was read
 * or typed wrong. Of two rows both are marked, of more the minority. A row that inherits its CUSIP from the
 * row above may be of another security. It is marked when its price is far from that of rows with the CUSIP
 * itself, or when no such row has its amount type and side.
 */
function markOddPrices(rows: readonly InfoTableRow[], inherits: readonly boolean[]): readonly InfoTableRow[] {
  const owners = new Set(rows.filter((_, index) => !inherits[index]));
  const groups = groupBy(rows, (row) => (row.cusip === null || row.amount <= 0n ? null : keyOf(row)));
  const odd = new Set([...groups.values()].flatMap((group) => oddOnes(group, owners)));
  const own = new Set([...owners].map(keyOf));
  return rows.map((row) => (odd.has(row) || !own.has(keyOf(row)) ? marked(row) : row));
}

function keyOf({ cusip, amountType, putCall }: InfoTableRow): string {
  return `${cusip}|${amountType}|${putCall}`;
}

/** The reference is the median row or, when that is far from the rows with their own CUSIP, their median. */
function oddOnes(group: readonly InfoTableRow[], owners: ReadonlySet<InfoTableRow>): readonly InfoTableRow[] {
  const middle = middleOf(group);
  const own = middleOf(group.filter((row) => owners.has(row)));
  if (middle === undefined || own === undefined) return [];
  const measure = agree(own, middle, NEAR_PRICE_PERMILLE) ? middle : own;
  const odd = group.filter((row) => !agree(row, measure, SAME_PRICE_PERMILLE));
  return odd.length * 2 < group.length ? odd : group;
}

function middleOf(rows: readonly InfoTableRow[]): InfoTableRow | undefined {
  return rows.toSorted((a, b) => priceOf(a) - priceOf(b))[Math.floor(rows.length / 2)];
}

/** Only to find the median, so a double is exact enough. */
function priceOf({ value, amount }: InfoTableRow): number {
  return Number(value) / Number(amount);
}

/** Each value may be off by 1 from rounding. Compares crosswise, without division. */
function agree(a: InfoTableRow, b: InfoTableRow, permille: bigint): boolean {
  const difference = a.value * b.amount - b.value * a.amount;
  const allowed = a.amount + b.amount + (a.value * b.amount * permille) / 1_000n;
  return abs(difference) <= allowed;
}

function marked(row: InfoTableRow): InfoTableRow {
  return row.reasons.includes('text_value_unsure')
    ? row
    : { ...row, reasons: [...row.reasons, 'text_value_unsure'] };
}

/** Totals that the filing declares: on the summary page, and the last one in the table itself. */
type Declared = {
  readonly entries: number | null;
  readonly value: bigint | null;
  readonly tableTotal: bigint | null;
};

/** `isProven` when the values add up to the total of the cover, so they come from the right column. */
type Verdict = { readonly confidence: TextConfidence; readonly isProven: boolean };

/**
 * How reliably the table was read. The strongest proof is that rows and values add up to what the cover
 * declares, in its scale or in the other one: then a thousandth or a thousand times. A filer's error in a total must not hide a table that was read well, but then its numbers are
 * marked as unsure. The total of the table itself counts only when the cover has none. It proves no column,
 * because a wrong column adds up too. Throws `text_information_table` when rows are missing, when the sum is
 * far off, and when most CUSIPs are impossible.
 */
function verdictOf(rows: readonly InfoTableRow[], declared: Declared): Verdict {
  const bad = rows.filter(({ reasons }) => reasons.some((reason) => reason.startsWith('cusip_'))).length;
  if (bad > rows.length * MAX_BAD_CUSIPS) throw irregular(`${bad} of ${rows.length} CUSIPs cannot be right`);
  const { entries } = declared;
  if (entries !== null && rows.length < entries) throw irregular(`${rows.length} rows, ${entries} declared`);
  const total = declared.value ?? declared.tableTotal;
  const sum = rows.reduce((all, { value }) => all + value, 0n);
  // Without a total, nothing shows missing or extra rows.
  if (total === null) return { confidence: 'low', isProven: false };
  // A row more than declared may not be a row, unless the sum is exactly that of the cover.
  const isTooLong = entries !== null && rows.length > entries && sum !== declared.value;
  if (!isTooLong && comparedWithTotal(sum, total, rows.length) !== null) {
    return { confidence: entries === rows.length ? 'high' : 'medium', isProven: declared.value !== null };
  }
  if (!isNear(sum, total)) throw irregular(`values add up to ${sum}, ${total} declared`);
  return { confidence: 'low', isProven: false };
}

function isNear(sum: bigint, total: bigint): boolean {
  return abs(sum - total) * 100n <= total * FARTHEST_VALUE_PERCENT;
}

/**
 * Every threshold of this folder, each with its rule in docs/rules.md; evidence is in docs/calibration.md.
 */

/** Rule 2.14. With a larger share of impossible CUSIPs, the column read is not one of CUSIPs. */
const MAX_BAD_CUSIPS = 0.5;
/** Rule 2.14. A declared value further away, in percent, is of another table, or rows were lost. */
const FARTHEST_VALUE_PERCENT = 25n;

/**
 * Rule 2.15. Rows of one security in one report have one price: their values per share agree within rounding.
 */
const SAME_PRICE_PERMILLE = 10n;
/** Rule 2.15. Within this, a wrong digit is more likely than a row of another security. */
const NEAR_PRICE_PERMILLE = 100n;
