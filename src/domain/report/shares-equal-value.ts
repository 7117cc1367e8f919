import type { InfoTableRow } from '../filing/filing.ts';

/** Fewer rows than this repeat their value by chance (rule 2.3). */
export const MIN_REPEATING_ROWS = 5;
/** This share of the rows repeats the value as the share count: the column was filled in twice. */
export const REPEATING_SHARE = 0.8;

/**
 * Whether the table gives its values where its share counts belong, so that the shares are not known.
 * By the values as filed, in whatever unit: a price of exactly one unit on most rows is no market.
 */
export function repeatsValueAsShares(
  sources: readonly { readonly rows: readonly InfoTableRow[] }[],
): boolean {
  let compared = 0;
  let repeated = 0;
  for (const { rows } of sources) {
    for (const { unit, putCall, amount, value } of rows) {
      if (unit !== 'SH' || putCall !== null || amount <= 0n || value <= 0n) continue;
      compared += 1;
      if (amount === value) repeated += 1;
    }
  }
  return compared >= MIN_REPEATING_ROWS && repeated >= compared * REPEATING_SHARE;
}
