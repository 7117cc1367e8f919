import { isVisible } from '../filing/as-of.ts';
import type { Ownership, OwnershipRow } from '../filing/filing.ts';
import type { Accession, IsoDate } from '../ids.ts';
import { compareFilings, reconcileAmendments } from './amendment.ts';
import { type Trade, tradeOf } from './trade.ts';
import { isEffective, tradesOf } from './trades.ts';

/**
 * Every transaction row of an issuer's Forms 4 and 4/A that exist on the as-of date, of both tables:
 * the non-derivative ones as {@link tradesOf} has them, the derivative ones with amendments
 * reconciled among themselves. A pure fold: order and repetition of the filings do not matter.
 */
export function ledgerOf(filings: readonly Ownership[], asOf: IsoDate): Trade[] {
  const unique = new Map(filings.map((filing) => [filing.header.accession, filing]));
  const visible = [...unique.values()]
    .filter((filing) => isVisible(filing.header, asOf))
    .sort(compareFilings);
  const derivative = visible.flatMap((filing) =>
    filing.rows
      .filter((row) => row.table === 'derivative' && row.rowKind === 'transaction')
      .map((row) => derivativeTrade(filing, row)),
  );
  return [...tradesOf(visible, asOf), ...reconcileAmendments(derivative)];
}

/** True for what `/insider/transactions` lists: a non-derivative row that stands and can be used. */
export function isListed(trade: Trade): boolean {
  return trade.row.table === 'non_derivative' && isEffective(trade);
}

/** A bought option is no purchase of shares, so it has no open-market side (rule 6.2). */
function derivativeTrade(filing: Ownership, row: OwnershipRow): Trade {
  const trade = tradeOf(filing, row);
  return { ...trade, id: rowIdOf(filing.header.accession, row), side: 'other' };
}

/** `<accession>:nd:<row>`, or `:d:` in the derivative table; the row counted among all of its table. */
export function rowIdOf(accession: Accession, { table, row }: Pick<OwnershipRow, 'table' | 'row'>): string {
  return `${accession}:${table === 'derivative' ? 'd' : 'nd'}:${row}`;
}

/** Ids of all transaction rows of a form. */
export function rowIdsOf({ header, rows }: Ownership): string[] {
  return rows.filter((row) => row.rowKind === 'transaction').map((row) => rowIdOf(header.accession, row));
}
