import type { Ownership, OwnershipRow, ReportingOwner } from '../filing/filing.ts';
import type { Accession, IsoDate } from '../ids.ts';
import { productToCents } from '../money.ts';
import type { Reason } from '../quality/quality.ts';
import { footnoteReasons } from './footnote.ts';
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
  /** The day that places the trade in the window (rule 6.4). */
  readonly placedOn: IsoDate;
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
  const valueCents = tradeValue(row);
  const priced = isPriced(row);
  const dateReasons = isPlausible(row.transactionDate, filing) ? [] : (['date_implausible'] as const);
  return {
    id: rowIdOf(filing.header.accession, row),
    filing,
    row,
    side,
    placedOn: placedOn(filing, row),
    priced,
    valueCents,
    owners: filing.owners,
    accessions: [filing.header.accession],
    amends: null,
    supersededBy: null,
    reasons: [
      ...dateReasons,
      ...exclusionReasons(row, side),
      ...unpricedReasons(row),
      ...footnoteReasons(filing, row, priced),
    ],
  };
}

/** `<accession>:nd:<row>`, or `:d:` in the derivative table; rows count from the start of their table. */
export function rowIdOf(accession: Accession, { table, row }: Pick<OwnershipRow, 'table' | 'row'>): string {
  return `${accession}:${table === 'derivative' ? 'd' : 'nd'}:${row}`;
}

export function isOpenMarketCode(code: string | null): boolean {
  return code === 'P' || code === 'S';
}

function sideOf(row: OwnershipRow): Side {
  if (row.code === 'P' && row.acquiredDisposed === 'A') return 'buy';
  return row.code === 'S' && row.acquiredDisposed === 'D' ? 'sell' : 'other';
}

function tradeValue(row: OwnershipRow): bigint | null {
  if (row.shares === null || row.pricePerShare === null || !isPriced(row)) return null;
  return productToCents(row.shares, row.pricePerShare);
}

function isPriced({ pricePerShare }: OwnershipRow): boolean {
  return pricePerShare !== null && isPositive(pricePerShare);
}

/** Of a decimal string: no minus, and a digit that is not zero. */
function isPositive(decimal: string): boolean {
  return !decimal.startsWith('-') && /[1-9]/.test(decimal);
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
