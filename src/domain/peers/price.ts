import type { QuarterColumns } from '../columns/columns.ts';
import { MIN_PRICE_FILERS } from '../report/thresholds.ts';
import { QUOTE } from './filed-position.ts';

/** The quotes of a security at a quarter's end. */
export type Quotes = {
  /** Places in the columns. */
  readonly rows: Int32Array;
  /** Decimal logarithms of cents per share; a statistic, so they are in floating point. */
  readonly logs: Float64Array;
};

type PricedColumns = Pick<QuarterColumns, 'columns' | 'amountOf' | 'centsOf' | 'rowsOf'>;

export function quotesOf(quarter: PricedColumns, security: number): Quotes {
  const { flags } = quarter.columns();
  const all = quarter.rowsOf(security);
  const rows = new Int32Array(all.length);
  const logs = new Float64Array(all.length);
  let count = 0;
  for (const row of all) {
    if (((flags[row] as number) & QUOTE) === 0) continue;
    rows[count] = row;
    logs[count] = Math.log10(quarter.centsOf(row) / quarter.amountOf(row));
    count += 1;
  }
  return { rows: rows.subarray(0, count), logs: logs.subarray(0, count) };
}

/** Median of the logarithms over all filers; null of fewer than three filers. */
export function medianPrice({ logs }: Pick<Quotes, 'logs'>): number | null {
  return logs.length < MIN_PRICE_FILERS ? null : medianOf(logs.toSorted());
}

/** The median of the list without one of its members; null when fewer than three remain. */
export function medianWithout(sorted: Float64Array, member: number): number | null {
  const others = sorted.length - 1;
  if (others < MIN_PRICE_FILERS) return null;
  const middle = Math.floor(others / 2);
  const upper = otherAt(sorted, middle, member);
  return others % 2 === 1 ? upper : (otherAt(sorted, middle - 1, member) + upper) / 2;
}

/** At a place of the list without the member: what is smaller than it keeps its place. */
function otherAt(sorted: Float64Array, place: number, member: number): number {
  const there = sorted[place] as number;
  return there < member ? there : (sorted[place + 1] as number);
}

/** The list is in ascending order and not empty. */
export function medianOf(sorted: ArrayLike<number>): number {
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] as number;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] as number) + upper) / 2;
}
