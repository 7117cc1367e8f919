import type { InfoTableRow } from '../../../domain/filing/filing.ts';
import { groupBy } from '../../../domain/group.ts';
import { abs } from '../../../domain/money.ts';
import { NEAR_PRICE_PERMILLE, SAME_PRICE_PERMILLE } from './thresholds.ts';

/**
 * Marks rows whose value per share differs from that of the other rows of the security: a digit was read
 * or typed wrong. Of two rows both are marked, of more the minority. A row that inherits its CUSIP from the
 * row above may be of another security. It is marked when its price is far from that of rows with the CUSIP
 * itself, or when no such row has its amount type and side.
 */
export function markOddPrices(
  rows: readonly InfoTableRow[],
  inherits: readonly boolean[],
): readonly InfoTableRow[] {
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
