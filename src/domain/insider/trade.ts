import type { Ownership, OwnershipRow, ReportingOwner } from '../filing/filing.ts';
import type { Accession, IsoDate } from '../ids.ts';
import { productToCents } from '../money.ts';
import type { Reason } from '../quality/quality.ts';
import type { TradeKind } from '../wire/transaction.ts';
import { isForeignPrice } from './currency.ts';
import { footnoteReasons } from './footnote.ts';
import { KIND_REASONS, kindOf } from './kind.ts';
import { isPriceOfOther } from './priced-security.ts';
import { EARLIEST_PLAUSIBLE_TRADE } from './thresholds.ts';

export type Side = 'buy' | 'sell' | 'other';

/** A non-derivative transaction row with its side and value (rule 6.2). */
export type Trade = {
  /** The transaction_id of rule 6.1, as {@link rowIdOf} writes it. */
  readonly id: string;
  readonly filing: Ownership;
  readonly row: OwnershipRow;
  /** Open-market side: P acquired is a buy, S disposed a sell, everything else other. */
  readonly side: Side;
  /** Of an open-market trade; null for other rows (rule 6.11). */
  readonly kind: TradeKind | null;
  /** The day that places the trade in the window (rule 6.4). */
  readonly placedOn: IsoDate;
  /** Whether its price in dollars is known and above zero. */
  readonly priced: boolean;
  /** Shares times price in cents, half-even; null when unpriced. */
  readonly valueCents: bigint | null;
  readonly owners: readonly ReportingOwner[];
  /** This filing first, then the others that report the same trade. */
  readonly accessions: readonly Accession[];
  /** The stored filing that this row of an amendment restates. */
  readonly amends: Accession | null;
  /** The newest amendment that restates this row; null when the row stands. */
  readonly supersededBy: Accession | null;
  readonly reasons: readonly Reason[];
};

/** Reads one row alone, without amendments, duplicates and share classes, which need other filings. */
export function tradeOf(filing: Ownership, row: OwnershipRow): Trade {
  const side = sideOf(row);
  const kind = kindOf(filing, row, side);
  const misfit = isPriced(row) ? misfitOf(filing, row) : null;
  const priced = isPriced(row) && misfit === null;
  const dateReasons = isPlausible(row.transactionDate, filing) ? [] : (['date_implausible'] as const);
  return {
    id: rowIdOf(filing.header.accession, row),
    filing,
    row,
    side,
    kind,
    placedOn: placedOn(filing, row),
    priced,
    valueCents: priced ? tradeValue(row) : null,
    owners: filing.owners,
    accessions: [filing.header.accession],
    amends: null,
    supersededBy: null,
    reasons: [
      ...(row.unreadable === undefined ? [] : (['row_unreadable'] as const)),
      ...dateReasons,
      ...exclusionReasons(row, side),
      ...unpricedReasons(row),
      ...(misfit !== null && isOpenMarketCode(row.code) ? [misfit] : []),
      ...kindReasons(side, kind),
      ...footnoteReasons(filing, row, isPriced(row)),
    ],
  };
}

/** `<accession>:nd:<row>`, or `:d:` in the derivative table; rows count from the start of their table. */
export function rowIdOf(accession: Accession, { table, row }: Pick<OwnershipRow, 'table' | 'row'>): string {
  return `${accession}:${table === 'derivative' ? 'd' : 'nd'}:${row}`;
}

/**
 * The days by which a row is compared with others, as filed and as placed: rows of different days never decide
 * about each other (rules 6.5 to 6.7). A row without a date has the day `none`.
 */
export function daysOf(filing: Ownership, row: OwnershipRow): string[] {
  return [...new Set([row.transactionDate ?? 'none', placedOn(filing, row)])];
}

export function isOpenMarketCode(code: string | null): boolean {
  return code === 'P' || code === 'S';
}

function sideOf(row: OwnershipRow): Side {
  if (row.code === 'P' && row.acquiredDisposed === 'A') return 'buy';
  return row.code === 'S' && row.acquiredDisposed === 'D' ? 'sell' : 'other';
}

/** Why the price does not go with the shares; null if it does. Other codes have no price of a market. */
function misfitOf(filing: Ownership, row: OwnershipRow): Reason | null {
  if (isForeignPrice(filing, row)) return 'foreign_currency_price';
  return isOpenMarketCode(row.code) && isPriceOfOther(filing, row) ? 'price_of_other_security' : null;
}

function tradeValue(row: OwnershipRow): bigint | null {
  if (row.shares === null || row.pricePerShare === null) return null;
  return productToCents(row.shares, row.pricePerShare);
}

function isPriced({ pricePerShare }: OwnershipRow): boolean {
  return pricePerShare !== null && isPositive(pricePerShare);
}

/** Of a decimal string: no minus, and a digit that is not zero. */
function isPositive(decimal: string): boolean {
  return !decimal.startsWith('-') && /[1-9]/.test(decimal);
}

function kindReasons(side: Side, kind: TradeKind | null): readonly Reason[] {
  return side === 'sell' && kind !== null ? KIND_REASONS[kind] : [];
}

function exclusionReasons(row: OwnershipRow, side: Side): Reason[] {
  if (!isOpenMarketCode(row.code)) return [];
  const reasons: Reason[] = [];
  if (side === 'other') reasons.push('acquired_disposed_mismatch');
  if (row.equitySwap) reasons.push('equity_swap');
  if (row.shares === null || !isPositive(row.shares)) reasons.push('shares_not_positive');
  return reasons;
}

function unpricedReasons(row: OwnershipRow): Reason[] {
  if (!isOpenMarketCode(row.code) || isPriced(row)) return [];
  if (row.pricePerShare === null) return ['price_missing'];
  return [isPositive(row.pricePerShare.replace('-', '')) ? 'price_implausible' : 'price_zero'];
}

function isPlausible(date: IsoDate | null, filing: Ownership): date is IsoDate {
  return date !== null && date >= EARLIEST_PLAUSIBLE_TRADE && date <= filing.header.filedDate;
}

/** A mistyped date (2035, 0022) gives way to the period of report, and that one to the filing date. */
function placedOn(filing: Ownership, row: OwnershipRow): IsoDate {
  if (isPlausible(row.transactionDate, filing)) return row.transactionDate;
  return isPlausible(filing.periodOfReport, filing) ? filing.periodOfReport : filing.header.filedDate;
}
