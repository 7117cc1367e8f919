import type { QuarterColumns } from '../columns/columns.ts';
import type { Names } from '../columns/names.ts';
import { compare } from '../compare.ts';
import type { Cik } from '../ids.ts';
import { agreedQuote } from './implied-price.ts';
import { MIN_PRICE_FILERS, PRICE_BAND_PCT } from './thresholds.ts';

/** The columns of a quarter with the names of its managers. */
export type NamedColumns = Pick<QuarterColumns, 'columns' | 'amountOf' | 'centsOf' | 'exactOf'> & {
  readonly names: Names;
};

export type AgreedRow = { readonly row: number; readonly filers: number };

const BAND = Number(PRICE_BAND_PCT);
/** Percent from the edge of the band within which floating point does not decide. */
const UNSURE = 1e-6;
/** Sums of shares below it, and twice the sums, are exact. */
const MAX_EXACT_SUM = Number.MAX_SAFE_INTEGER / 2;

/** Rows with their prices in floating point: a quotient of exact numbers is never in the wrong order, only equal. */
type Priced = { readonly rows: Int32Array; readonly prices: Float64Array };

/** The row that {@link agreedQuote} chooses among rows that give a price, at a fraction of its cost. */
export function agreedRow(quarter: NamedColumns, rows: Int32Array): AgreedRow | null {
  if (rows.length < MIN_PRICE_FILERS) return null;
  const near = rowsNear(quarter, rows);
  if (near === null) return exactlyAgreed(quarter, rows);
  const filers = near.rows.length;
  if (filers < MIN_PRICE_FILERS) return null;
  const all = sharesUpTo(quarter, near, Number.POSITIVE_INFINITY);
  if (all > MAX_EXACT_SUM) return exactlyAgreed(quarter, rows);
  const price = middlePrice(quarter, near, all);
  let shares = sharesUpTo(quarter, near, price, 'below');
  const row = equallyPriced(quarter, near, price).find((one) => {
    shares += quarter.amountOf(one);
    return shares * 2 >= all;
  });
  return row === undefined ? null : { row, filers };
}

/** The rows around the middle one; null where only exact numbers decide. */
function rowsNear(quarter: NamedColumns, rows: Int32Array): Priced | null {
  const prices = new Float64Array(rows.length);
  for (let at = 0; at < rows.length; at += 1) {
    const row = rows[at] as number;
    const [cents, shares] = [quarter.centsOf(row), quarter.amountOf(row)];
    if (cents > Number.MAX_SAFE_INTEGER || shares > Number.MAX_SAFE_INTEGER) return null;
    prices[at] = cents / shares;
  }
  const middle = prices.toSorted()[Math.floor((rows.length - 1) / 2)] as number;
  const near = { rows: new Int32Array(rows.length), prices: new Float64Array(rows.length) };
  let count = 0;
  for (let at = 0; at < rows.length; at += 1) {
    const percent = Math.abs((prices[at] as number) / middle - 1) * 100;
    if (Math.abs(percent - BAND) < UNSURE) return null;
    if (percent > BAND) continue;
    near.rows[count] = rows[at] as number;
    near.prices[count] = prices[at] as number;
    count += 1;
  }
  return { rows: near.rows.subarray(0, count), prices: near.prices.subarray(0, count) };
}

/** The lowest price at or below which at least half of all shares are. */
function middlePrice(quarter: NamedColumns, near: Priced, all: number): number {
  const sorted = near.prices.toSorted();
  let [low, high] = [0, sorted.length - 1];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sharesUpTo(quarter, near, sorted[middle] as number) * 2 >= all) high = middle;
    else low = middle + 1;
  }
  return sorted[low] as number;
}

function sharesUpTo(
  quarter: NamedColumns,
  { rows, prices }: Priced,
  price: number,
  which: 'all' | 'below' = 'all',
): number {
  const isAll = which === 'all';
  let shares = 0;
  for (let at = 0; at < rows.length; at += 1) {
    const own = prices[at] as number;
    if (own < price || (isAll && own === price)) shares += quarter.amountOf(rows[at] as number);
  }
  return shares;
}

/** The rows of a price in their exact order: by value per share, then by CIK. */
function equallyPriced(quarter: NamedColumns, { rows, prices }: Priced, price: number): number[] {
  const equal = [...rows].filter((_, at) => prices[at] === price);
  if (equal.length < 2) return equal;
  const quotes = equal.map((row) => ({ row, cik: cikOf(quarter, row), ...quarter.exactOf(row) }));
  return quotes
    .sort((a, b) => compare(a.valueCents * b.amount, b.valueCents * a.amount) || compare(a.cik, b.cik))
    .map(({ row }) => row);
}

function exactlyAgreed(quarter: NamedColumns, rows: Int32Array): AgreedRow | null {
  const quotes = Array.from(rows, (row) => ({ row, cik: cikOf(quarter, row), ...quarter.exactOf(row) }));
  const agreed = agreedQuote(quotes);
  return agreed === null ? null : { row: agreed.quote.row, filers: agreed.filers };
}

function cikOf({ columns, names }: NamedColumns, row: number): Cik {
  return names.managers.textOf(columns().manager[row] as number);
}
