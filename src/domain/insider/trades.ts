import Big from 'big.js';
import { isVisible } from '../calendar.ts';
import { compare } from '../compare.ts';
import type { Ownership, OwnershipRow, ReportingOwner } from '../filing/filing.ts';
import { connectedGroups, countConnected, groupBy } from '../group.ts';
import type { IsoDate } from '../ids.ts';
import { qualityOf } from '../quality/quality.ts';
import { compareFilings, reconcileAmendments } from './amendment.ts';
import {
  type AmountText,
  blockKey,
  fingerprint,
  groupsAlike,
  isBlockHeldTogether,
  isSameBlock,
  isSameTrade,
  sharesReportingOwner,
} from './identity.ts';
import { POSSIBLE_OFFERING_INSIDERS } from './thresholds.ts';
import { rowIdOf, type Trade, tradeOf } from './trade.ts';

/** A row with its rank among the equal rows of its own filing. */
type Numbered = { readonly trade: Trade; readonly nth: number };

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
 * owners, and forms that share an owner, are one insider. The trades still count. Shares withheld for taxes
 * have one price by the company's rule, which shows no offering.
 */
function markOfferings(trades: readonly Trade[]): Trade[] {
  const counted = trades.filter(
    ({ side, kind, priced, reasons }) =>
      side !== 'other' && kind !== 'tax_cover' && priced && qualityOf(reasons).status !== 'excluded',
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

/**
 * Counts a P or S trade once that several filings report (rule 6.6). The first filing's row takes over the
 * other owners and accessions. The k-th of equal rows in one filing is merged with the k-th of the other.
 */
function mergeDuplicates(trades: readonly Trade[]): Trade[] {
  return mergeAlike(mergeAlike(trades, fingerprint, isReportedTwice), blockKey, isBlockHeldTogether);
}

function mergeAlike(
  trades: readonly Trade[],
  keyOf: typeof fingerprint,
  isSame: (a: Trade, b: Trade) => boolean,
): Trade[] {
  const merged = new Map(trades.map((trade) => [trade.id, trade]));
  const open = trades.filter(mayRepeat);
  for (const group of groupsAlike(open, (trade, amountOf) => `${trade.side}|${keyOf(trade, amountOf)}`)) {
    if (new Set(group.map((trade) => trade.filing)).size < 2) continue;
    for (const same of groupBy(numbered(group), ({ nth }) => String(nth)).values()) {
      for (const cluster of connectedGroups(same, (a, b) => isSame(a.trade, b.trade))) {
        for (const trade of mergedCluster(cluster.map((entry) => entry.trade))) merged.set(trade.id, trade);
      }
    }
  }
  return trades.map((trade) => merged.get(trade.id) ?? trade);
}

/** A purchase or a sale without a doubt, or one whose code and mark contradict each other. Joint owners report either. */
function mayRepeat({ side, reasons }: Trade): boolean {
  const doubts = reasons.filter((reason) => reason !== 'acquired_disposed_mismatch');
  return (side !== 'other' || doubts.length < reasons.length) && qualityOf(doubts).status === 'clear';
}

/** Those of the trades that count which filings without a common owner report, as one block of one group. */
export function blocksIn(trades: readonly Trade[], considered: readonly Trade[]): Trade[] {
  const repeats = considered.filter(({ reasons }) => reasons.includes('duplicate_trade'));
  return trades.filter(({ accessions, filing }) =>
    repeats.some(
      (other) =>
        accessions.includes(other.filing.header.accession) && !sharesReportingOwner(filing, other.filing),
    ),
  );
}

function isReportedTwice(a: Trade, b: Trade): boolean {
  return isSameTrade(a, b) || isSameBlock(a, b);
}

function mergedCluster(cluster: readonly Trade[]): Trade[] {
  const [first, ...others] = [...cluster].sort((a, b) => compareFilings(a.filing, b.filing));
  if (first === undefined) return [];
  const kept: Trade = {
    ...first,
    owners: uniqueOwners([first, ...others].flatMap((trade) => trade.owners)),
    accessions: [...new Set([first, ...others].flatMap((trade) => trade.accessions))],
  };
  return [
    kept,
    ...others.map((trade): Trade => ({ ...trade, reasons: [...trade.reasons, 'duplicate_trade'] })),
  ];
}

function numbered(group: readonly Trade[]): Numbered[] {
  return [...groupBy(group, (trade) => trade.filing.header.accession).values()].flatMap((rows) =>
    rows.sort((a, b) => a.row.row - b.row.row).map((trade, nth) => ({ trade, nth })),
  );
}

function uniqueOwners(owners: readonly ReportingOwner[]): ReportingOwner[] {
  return owners.filter((owner, at) => owners.findIndex((other) => other.cik === owner.cik) === at);
}

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
