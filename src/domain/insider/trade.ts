import type { Ownership, OwnershipRow, ReportingOwner } from '../filing/filing.ts';
import type { Accession, IsoDate } from '../ids.ts';
import { productToCents } from '../money.ts';
import type { Reason } from '../quality/quality.ts';
import { footnoteReasons } from './footnote.ts';

export type Side = 'buy' | 'sell' | 'other';

/** A non-derivative transaction row with what rule 6.2 makes of it. */
export type Trade = {
  /** `<accession>:nd:<row>`: the transaction_id of rule 6.1. */
  readonly id: string;
  readonly filing: Ownership;
  readonly row: OwnershipRow;
  /** Open-market side: P acquired is a buy, S disposed a sell, everything else other. */
  readonly side: Side;
  /** The day that places the trade in the window: the transaction date, or the period of report. */
  readonly placedOn: IsoDate;
  readonly priced: boolean;
  /** Shares times price in cents, half-even; null when unpriced. */
  readonly valueCents: bigint | null;
  readonly owners: readonly ReportingOwner[];
  /** This filing first, then those that report the same trade. */
  readonly accessions: readonly Accession[];
  /** The filing that this row restates, when the filing is an amendment and that one is stored. */
  readonly amends: Accession | null;
  /** The newest amendment that restates this row; null when it stands. */
  readonly supersededBy: Accession | null;
  readonly reasons: readonly Reason[];
};

/** Section 16 reports on paper go back further, but a Form 4 in XML cannot restate a trade of before. */
export const EARLIEST_PLAUSIBLE_TRADE = '1990-01-01';

/** Reads one row alone: amendments, duplicates and share classes are other filings' business. */
export function tradeOf(filing: Ownership, row: OwnershipRow): Trade {
  const side = sideOf(row);
  const valueCents = tradeValue(row);
  const priced = isPriced(row);
  const dateReasons = isPlausible(row.transactionDate, filing) ? [] : (['date_implausible'] as const);
  return {
    id: `${filing.header.accession}:nd:${row.row}`,
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
      ...priceReasons(row),
      ...footnoteReasons(filing, row, priced),
    ],
  };
}

function isOpenMarketCode(row: OwnershipRow): boolean {
  return row.code === 'P' || row.code === 'S';
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

/** Decimal strings: positive when there is no minus and some digit is not zero. */
function isPositive(decimal: string): boolean {
  return !decimal.startsWith('-') && /[1-9]/.test(decimal);
}

function exclusionReasons(row: OwnershipRow, side: Side): Reason[] {
  if (!isOpenMarketCode(row)) return [];
  const reasons: Reason[] = [];
  if (side === 'other') reasons.push('acquired_disposed_mismatch');
  if (row.equitySwap) reasons.push('equity_swap');
  if (row.shares === null || !isPositive(row.shares)) reasons.push('shares_not_positive');
  return reasons;
}

function priceReasons(row: OwnershipRow): Reason[] {
  if (!isOpenMarketCode(row) || isPriced(row)) return [];
  if (row.pricePerShare === null) return ['price_missing'];
  return [isPositive(row.pricePerShare.replace('-', '')) ? 'price_implausible' : 'price_zero'];
}

function isPlausible(date: IsoDate | null, filing: Ownership): date is IsoDate {
  return date !== null && date >= EARLIEST_PLAUSIBLE_TRADE && date <= filing.header.filedDate;
}

/** A mistyped date (2035, 0022) is placed by the period of report, and that one by the filing date. */
function placedOn(filing: Ownership, row: OwnershipRow): IsoDate {
  if (isPlausible(row.transactionDate, filing)) return row.transactionDate;
  return isPlausible(filing.periodOfReport, filing) ? filing.periodOfReport : filing.header.filedDate;
}
