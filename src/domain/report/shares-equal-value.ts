import type { InfoTableRow } from '../filing/filing.ts';
import { isEquity } from './report.ts';

/** Fewer rows than this may repeat their value by chance (rule 2.3). */
export const MIN_REPEATING_ROWS = 5;
/** When this share of the rows repeats the value as share count, the same column was filed twice. */
export const REPEATING_SHARE = 0.8;

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
