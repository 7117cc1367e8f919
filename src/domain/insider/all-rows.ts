import type { Ownership, OwnershipRow } from '../filing/filing.ts';
import type { Accession, IsoDate } from '../ids.ts';
import { reconcileAmendments } from './amendment.ts';
import type { Trade } from './trade.ts';
import { isEffective, tradesOf, transactionsIn } from './trades.ts';

/**
 * Every transaction row of an issuer's Forms 4 and 4/A that exist on the as-of date, of both tables:
 * the non-derivative ones of {@link tradesOf}, and the derivative ones with amendments reconciled
 * among themselves. A pure fold: order and repetition of the filings do not matter.
 */
export function allRowsOf(filings: readonly Ownership[], asOf: IsoDate): Trade[] {
  const derivative = transactionsIn(filings, asOf, 'derivative').map(derivativeTrade);
  return [...tradesOf(filings, asOf), ...reconcileAmendments(derivative)];
}

/** Whether `/insider/transactions` lists it: a non-derivative row that stands and can be used. */
export function isListed(trade: Trade): boolean {
  return trade.row.table === 'non_derivative' && isEffective(trade);
}

/** A bought option is no purchase of shares, so it has no open-market side (rule 6.2). */
function derivativeTrade(trade: Trade): Trade {
  return { ...trade, id: rowIdOf(trade.filing.header.accession, trade.row), side: 'other' };
}

/** `<accession>:nd:<row>`, or `:d:` in the derivative table; rows count from the start of their table. */
export function rowIdOf(accession: Accession, { table, row }: Pick<OwnershipRow, 'table' | 'row'>): string {
  return `${accession}:${table === 'derivative' ? 'd' : 'nd'}:${row}`;
}

/** Ids of all transaction rows of a form. */
export function rowIdsOf({ header, rows }: Ownership): string[] {
  return rows.filter((row) => row.rowKind === 'transaction').map((row) => rowIdOf(header.accession, row));
}
