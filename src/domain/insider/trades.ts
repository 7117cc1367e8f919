import { isVisible } from '../calendar.ts';
import { compare } from '../compare.ts';
import type { Ownership, OwnershipRow } from '../filing/filing.ts';
import { countConnected } from '../group.ts';
import type { IsoDate } from '../ids.ts';
import { qualityOf } from '../quality/quality.ts';
import { compareFilings, reconcileAmendments } from './amendment.ts';
import { mergeDuplicates } from './duplicate.ts';
import { type AmountText, groupsAlike } from './identity.ts';
import { POSSIBLE_OFFERING_INSIDERS } from './thresholds.ts';
import { rowIdOf, type Trade, tradeOf } from './trade.ts';

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
function transactionsIn(filings: readonly Ownership[], asOf: IsoDate, table: OwnershipRow['table']): Trade[] {
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
  return (
    compare(b.placedOn, a.placedOn) ||
    compare(b.valueCents ?? -1n, a.valueCents ?? -1n) ||
    compare(a.id, b.id)
  );
}

/**
 * Every transaction row of an issuer's Forms 4 and 4/A that exist on the as-of date, of both tables:
 * the non-derivative ones of {@link tradesOf}, and the derivative ones with amendments reconciled
 * among themselves. A pure fold: order and repetition of the filings do not matter.
 */
export function allRowsOf(filings: readonly Ownership[], asOf: IsoDate): Trade[] {
  // A bought option is no purchase of shares, so it has no open-market side (rule 6.2).
  const derivative = transactionsIn(filings, asOf, 'derivative').map(
    (trade): Trade => ({ ...trade, side: 'other' }),
  );
  return [...tradesOf(filings, asOf), ...reconcileAmendments(derivative)];
}

/** Whether `/insider/transactions` lists it: a non-derivative row that stands and can be used. */
export function isListed(trade: Trade): boolean {
  return trade.row.table === 'non_derivative' && isEffective(trade);
}

/** All transaction rows of a form by their ids. */
export function rowsById({ header, rows }: Ownership): Map<string, OwnershipRow> {
  const transactions = rows.filter(({ rowKind }) => rowKind === 'transaction');
  return new Map(transactions.map((row) => [rowIdOf(header.accession, row), row]));
}

/**
 * Marks with `possible_offering` the trades of an issuer that at least
 * {@link POSSIBLE_OFFERING_INSIDERS} insiders made on the same side, day and price (rule 6.7). Codes P
 * and S cover private placements and offerings too, and the form has no other mark for them. Joint
 * owners, and forms that share an owner, are one insider. The trades still count.
 */
export function markOfferings(trades: readonly Trade[]): Trade[] {
  const counted = trades.filter(
    (trade) => trade.side !== 'other' && trade.priced && qualityOf(trade.reasons).status !== 'excluded',
  );
  const offered = new Set(
    groupsAlike(counted, offeringKey)
      .filter((group) => insidersOf(group) >= POSSIBLE_OFFERING_INSIDERS)
      .flatMap((group) => group.map((trade) => trade.id)),
  );
  return trades.map((trade) =>
    offered.has(trade.id) ? { ...trade, reasons: [...trade.reasons, 'possible_offering'] } : trade,
  );
}

function offeringKey({ filing, side, placedOn, row }: Trade, amountOf: AmountText): string {
  return [filing.issuer.cik, side, placedOn, amountOf(row.pricePerShare)].join('|');
}

function insidersOf(group: readonly Trade[]): number {
  return countConnected(group.map((trade) => trade.owners.map((owner) => owner.cik)));
}
