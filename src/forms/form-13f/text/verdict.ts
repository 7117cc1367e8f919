import type { InfoTableRow, TextConfidence } from '../../../domain/filing/filing.ts';
import { abs } from '../../../domain/money.ts';
import { comparedWithTotal } from '../../../domain/report/scale.ts';
import { irregular } from './lines.ts';
import { FARTHEST_VALUE_PERCENT, MAX_BAD_CUSIPS } from './thresholds.ts';

/** Totals that the filing declares: on the summary page, and the last one in the table itself. */
export type Declared = {
  readonly entries: number | null;
  readonly value: bigint | null;
  readonly tableTotal: bigint | null;
};

/** `isProven` when the values add up to the total of the cover, so they come from the right column. */
export type Verdict = { readonly confidence: TextConfidence; readonly isProven: boolean };

/**
 * How reliably the table was read. The strongest proof is that rows and values add up to what the cover
 * declares, in its scale or in the other one: then a thousandth or a thousand times. A filer's error in a total must not hide a table that was read well, but then its numbers are
 * marked as unsure. The total of the table itself counts only when the cover has none. It proves no column,
 * because a wrong column adds up too. Throws `text_information_table` when rows are missing, when the sum is
 * far off, and when most CUSIPs are impossible.
 */
export function verdictOf(rows: readonly InfoTableRow[], declared: Declared): Verdict {
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
