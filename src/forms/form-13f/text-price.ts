import type { InfoTableRow } from '../../domain/filing.ts';

/**
 * Rows of one security in one report are marked at one price, so their values per share agree but for
 * rounding. Largest honest difference in the text reports at hand: see DECISIONS.
 */
export const SAME_PRICE_PERMILLE = 10n;

/**
 * Marks rows whose value per share is not that of the other rows of the same security: a digit read,
 * or typed, wrong. With three rows or more the one that stands alone is marked, of two both are. A row
 * that takes its CUSIP from the one above is marked too where no row with that CUSIP has its unit and
 * side: it may be of another security, and there is no price to show it.
 */
export function markOddPrices(
  rows: readonly InfoTableRow[],
  inherits: readonly boolean[],
): readonly InfoTableRow[] {
  const groups = new Map<string, InfoTableRow[]>();
  for (const row of rows) {
    if (row.cusip === null || row.amount <= 0n) continue;
    const group = groups.get(keyOf(row));
    if (group === undefined) groups.set(keyOf(row), [row]);
    else group.push(row);
  }
  const odd = new Set([...groups.values()].flatMap(oddOnes));
  const own = new Set(rows.filter((_, index) => !inherits[index]).map(keyOf));
  return rows.map((row) => (odd.has(row) || !own.has(keyOf(row)) ? marked(row) : row));
}

function keyOf({ cusip, unit, putCall }: InfoTableRow): string {
  return `${cusip}|${unit}|${putCall}`;
}

/** Each is measured by the row in the middle, ordered by price. */
function oddOnes(group: readonly InfoTableRow[]): readonly InfoTableRow[] {
  if (group.length < 2) return [];
  const ordered = group.toSorted((a, b) => priceOf(a) - priceOf(b));
  const middle = ordered[Math.floor(ordered.length / 2)] as InfoTableRow;
  const odd = group.filter((row) => !agree(row, middle));
  return odd.length * 2 < group.length ? odd : group;
}

/** Only to find the middle, so the nearest double will do. */
function priceOf({ value, amount }: InfoTableRow): number {
  return Number(value) / Number(amount);
}

/** Values are rounded, or cut, to one of their unit; prices are compared crosswise, without division. */
function agree(a: InfoTableRow, b: InfoTableRow): boolean {
  const difference = a.value * b.amount - b.value * a.amount;
  const allowed = a.amount + b.amount + (a.value * b.amount * SAME_PRICE_PERMILLE) / 1_000n;
  return (difference < 0n ? -difference : difference) <= allowed;
}

function marked(row: InfoTableRow): InfoTableRow {
  return row.flags.includes('text_value_unsure')
    ? row
    : { ...row, flags: [...row.flags, 'text_value_unsure'] };
}
