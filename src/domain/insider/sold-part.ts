import Big from 'big.js';
import { groupBy } from '../group.ts';
import type { Trade } from './trade.ts';

/** What was sold of the holdings that the sales came from. */
type SoldPart = { readonly pct: number; readonly isDirect: boolean };

/**
 * The part that the sales took of what was held on their lines of ownership (rule 6.12). Null where the forms do
 * not show it: the shares owned after the sales must be those held before less all that was sold.
 */
export function soldPart(trades: readonly Trade[]): SoldPart | null {
  const sales = trades.filter(({ side }) => side === 'sell');
  const lines = [...groupBy(sales, lineOf).values()].map(lineSold);
  let [sold, held] = [new Big(0), new Big(0)];
  for (const line of lines) {
    if (line === null) return null;
    sold = sold.plus(line.sold);
    held = held.plus(line.held);
  }
  if (!held.gt(0)) return null;
  const pct = Number(sold.times(100).div(held).round(4, Big.roundHalfEven).toString());
  return { pct, isDirect: sales.every(({ row }) => row.ownership === 'direct') };
}

function lineOf({ row, owners }: Trade): string {
  return [owners[0]?.cik, row.securityTitle, row.ownership, row.natureOfOwnership].join('|');
}

function lineSold(sales: readonly Trade[]): { readonly sold: Big; readonly held: Big } | null {
  let [sold, held, left] = [new Big(0), new Big(0), null as Big | null];
  for (const { row } of sales) {
    if (row.shares === null || row.sharesOwnedAfter === null) return null;
    const [shares, after] = [new Big(row.shares), new Big(row.sharesOwnedAfter)];
    const before = after.plus(shares);
    sold = sold.plus(shares);
    if (before.gt(held)) held = before;
    if (left === null || after.lt(left)) left = after;
  }
  return left !== null && held.minus(sold).eq(left) ? { sold, held } : null;
}
