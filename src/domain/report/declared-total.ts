import { abs } from '../money.ts';

/**
 * How the sum of a table compares with the total that the filing declares: equal, or the same number at the other
 * scale. `table_in_thousands`: the total is a thousand times the sum, `table_in_dollars`: a thousandth. Null when it
 * is another number (rule 2.7). Each row and the total may be rounded by half of the larger unit.
 */
export function comparedWithTotal(
  sum: bigint,
  total: bigint,
  rows: number,
): 'equal' | 'table_in_thousands' | 'table_in_dollars' | null {
  const isNear = (left: bigint, right: bigint, unit: bigint): boolean =>
    abs(left - right) * 2n <= (BigInt(rows) + 1n) * unit;
  if (isNear(sum, total, 1n)) return 'equal';
  if (sum <= 0n || total <= 0n) return null;
  if (isNear(sum * 1_000n, total, 1_000n)) return 'table_in_thousands';
  return isNear(sum, total * 1_000n, 1_000n) ? 'table_in_dollars' : null;
}
