import type { QuarterColumns } from '../columns/columns.ts';
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

/** The list is in ascending order and not empty. */
export function medianOf(sorted: ArrayLike<number>): number {
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] as number;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] as number) + upper) / 2;
}
