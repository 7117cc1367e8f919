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
  let compared = 0;
  let repeated = 0;
  for (const { rows } of sources) {
    for (const { amount, value } of rows.filter(isEquity)) {
      if (amount <= 0n || value <= 0n) continue;
      compared += 1;
      if (amount === value) repeated += 1;
    }
  }
  return compared >= MIN_REPEATING_ROWS && repeated >= compared * REPEATING_SHARE;
}
