import type { InfoTableRow } from '../../../domain/filing/filing.ts';
import { groupBy } from '../../../domain/group.ts';
import { abs } from '../../../domain/money.ts';

/**
 * Rows of one security in one report are marked at one price, so their values per share agree but for
 * rounding. Largest honest difference in the text reports at hand: see DECISIONS.
 */
export const SAME_PRICE_PERMILLE = 10n;
/** Nearer than this it is more likely a digit that is wrong than a row of another security. */
const NEAR_PRICE_PERMILLE = 100n;

/**
 * Marks rows whose value per share is not that of the other rows of the same security: a digit read,
 * or typed, wrong. With three rows or more the one that stands alone is marked, of two both are. A row
 * that takes its CUSIP from the one above may be of another security: at a price far from the one that
 * has the CUSIP itself it is marked, however many there are, and so it is where no row with that CUSIP
 * has its unit and side, for no price shows it then.
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

/** Each is measured by the row in the middle; if that is far from those with a CUSIP of their own, by them. */
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

/** Only to find the middle, so the nearest double will do. */
function priceOf({ value, amount }: InfoTableRow): number {
  return Number(value) / Number(amount);
}

/** Values are rounded, or cut, to one of their unit; prices are compared crosswise, without division. */
function agree(a: InfoTableRow, b: InfoTableRow, permille: bigint): boolean {
  const difference = a.value * b.amount - b.value * a.amount;
  const allowed = a.amount + b.amount + (a.value * b.amount * permille) / 1_000n;
  return abs(difference) <= allowed;
}

function marked(row: InfoTableRow): InfoTableRow {
  return row.flags.includes('text_value_unsure')
    ? row
    : { ...row, flags: [...row.flags, 'text_value_unsure'] };
}
