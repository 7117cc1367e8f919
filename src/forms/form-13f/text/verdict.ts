import type { InfoTableRow, TextConfidence } from '../../../domain/filing/filing.ts';
import { abs } from '../../../domain/money.ts';
import { irregular } from './lines.ts';

/** What the filing says of its table: the summary page, and the last total in the table itself. */
export type Declared = {
  readonly entries: number | null;
  readonly value: bigint | null;
  readonly tableTotal: bigint | null;
};

/** `isProven` when the values add up to the total of the cover: then they were read from the right column. */
export type Verdict = { readonly confidence: TextConfidence; readonly isProven: boolean };

/** Above this share of CUSIPs that cannot be right it is no column of CUSIPs that was read. */
export const MAX_BAD_CUSIPS = 0.5;
/** A declared value further away than this, in percent, is of another table, or rows were lost. */
export const FARTHEST_VALUE_PERCENT = 25n;

/**
 * How surely the table was read. The strongest proof of a right reading is that rows and values add
 * up to what the cover declares; a filer's own slip in a total must not hide a table that is read
 * well, but then its numbers are told to be unsure. The total of the table itself counts only where the
 * cover is silent, and proves no column: read from the wrong one it adds up as well. Throws `text_information_table` when rows are
 * missing, when the sum is far off, and when most CUSIPs cannot be right.
 */
export function verdictOf(rows: readonly InfoTableRow[], declared: Declared): Verdict {
  const bad = rows.filter(({ flags }) => flags.some((flag) => flag.startsWith('cusip_'))).length;
  if (bad > rows.length * MAX_BAD_CUSIPS) throw irregular(`${bad} of ${rows.length} CUSIPs cannot be right`);
  const { entries } = declared;
  if (entries !== null && rows.length < entries) throw irregular(`${rows.length} rows, ${entries} declared`);
  const total = declared.value ?? declared.tableTotal;
  const sum = rows.reduce((all, { value }) => all + value, 0n);
  // Without any total nothing shows a row too many, or too few.
  if (total === null) return { confidence: 'low', isProven: false };
  // A row more than declared may be no row: only the very sum of the cover says that it is one.
  const isTooLong = entries !== null && rows.length > entries && sum !== declared.value;
  if (!isTooLong && isRounded(sum, total, rows.length)) {
    return { confidence: entries === rows.length ? 'high' : 'medium', isProven: declared.value !== null };
  }
  if (!isNear(sum, total)) throw irregular(`values add up to ${sum}, ${total} declared`);
  return { confidence: 'low', isProven: false };
}

/** Each value is rounded to one of its unit, and so is the total. */
function isRounded(sum: bigint, total: bigint, rows: number): boolean {
  return abs(sum - total) * 2n <= BigInt(rows) + 1n;
}

function isNear(sum: bigint, total: bigint): boolean {
  return abs(sum - total) * 100n <= total * FARTHEST_VALUE_PERCENT;
}
