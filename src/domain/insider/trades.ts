import { compare } from '../compare.ts';
import { isVisible } from '../filing/as-of.ts';
import type { Ownership, OwnershipRow } from '../filing/filing.ts';
import type { IsoDate } from '../ids.ts';
import { qualityOf } from '../quality/quality.ts';
import { compareFilings, reconcileAmendments } from './amendment.ts';
import { mergeDuplicates } from './duplicate.ts';
import { markOfferings } from './offering.ts';
import { type Trade, tradeOf } from './trade.ts';

/**
 * All non-derivative transactions of Forms 4 and 4/A that exist on the as-of date, of every code,
 * with amendments reconciled and doubly reported trades merged. A pure fold: any order and any
 * repetition of the filings gives the same trades, in filing order, then row. Rows that do not stand
 * carry the reason (superseded, duplicate, mismatch…): {@link isEffective}.
 */
export function tradesOf(filings: readonly Ownership[], asOf: IsoDate): Trade[] {
  const trades = transactionsIn(filings, asOf, 'non_derivative');
  return markOfferings(mergeDuplicates(reconcileAmendments(trades)));
}

/** The transaction rows of one table as filed, in filing order, then row. */
export function transactionsIn(
  filings: readonly Ownership[],
  asOf: IsoDate,
  table: OwnershipRow['table'],
): Trade[] {
  const unique = new Map(filings.map((filing) => [filing.header.accession, filing]));
  return [...unique.values()]
    .filter((filing) => isVisible(filing.header, asOf))
    .sort(compareFilings)
    .flatMap((filing) =>
      filing.rows
        .filter((row) => row.table === table && row.rowKind === 'transaction')
        .map((row) => tradeOf(filing, row)),
    );
}

/** True when the row is neither replaced, a repetition, nor unusable. */
export function isEffective(trade: Trade): boolean {
  return qualityOf(trade.reasons).status !== 'excluded';
}

/** An effective trade that counts as open-market: P acquired or S disposed (rule 6.2). */
export function isOpenMarket(trade: Trade): boolean {
  return trade.side !== 'other' && isEffective(trade);
}

/**
 * Newest first by the date that places the trade, then by value descending with unpriced trades last,
 * then by id. The transaction date itself would put mistyped years first.
 */
export function compareTrades(a: Trade, b: Trade): number {
  const byDate = compare(b.placedOn, a.placedOn);
  if (byDate !== 0) return byDate;
  const [valueA, valueB] = [a.valueCents ?? -1n, b.valueCents ?? -1n];
  if (valueA !== valueB) return valueA > valueB ? -1 : 1;
  return compare(a.id, b.id);
}
