import type { InfoTableRow } from '../filing/filing.ts';
import { isEquity } from './report.ts';
import { MIN_REPEATING_ROWS, REPEATING_SHARE } from './thresholds.ts';

/**
 * Whether the table repeats its values as share counts, so the shares are unknown. It compares the values
 * as filed, at any scale: no market prices most securities at exactly 1.
 */
export function repeatsValueAsShares(
  sources: readonly { readonly rows: readonly InfoTableRow[] }[],
): boolean {
  const compared = sources
    .flatMap(({ rows }) => rows)
    .filter((row) => isEquity(row) && row.amount > 0n && row.value > 0n);
  const repeated = compared.filter(({ amount, value }) => amount === value);
  return compared.length >= MIN_REPEATING_ROWS && repeated.length >= compared.length * REPEATING_SHARE;
}
