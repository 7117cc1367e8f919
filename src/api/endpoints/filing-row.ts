import type { OwnershipRow } from '../../domain/filing/filing.ts';
import { fieldOfElement } from '../../domain/insider/footnote.ts';
import type { StoredTrade } from '../../store/trade/trades.ts';
import type {
  DerivativeHoldingRow,
  DerivativeRow,
  FootnoteRefs,
  HoldingRow,
  TransactionRow,
} from './filing-shape.ts';

/** A transaction as in the list, with the members that only the filing shows. */
export function transactionRow({ item, supersededBy }: StoredTrade, row: OwnershipRow): TransactionRow {
  return {
    ...item,
    deemed_execution_date: row.deemedExecutionDate,
    equity_swap: row.equitySwap,
    nature_of_ownership: row.natureOfOwnership,
    footnote_refs: footnoteRefs(row),
    superseded_by: supersededBy,
  };
}

export function derivativeRow(trade: StoredTrade, row: OwnershipRow): DerivativeRow {
  return { ...transactionRow(trade, row), ...derivativeTerms(row) };
}

export function holdingRow(row: OwnershipRow): HoldingRow {
  return {
    row: Number(row.row),
    security_title: row.securityTitle,
    shares_owned: row.sharesOwnedAfter,
    ownership: row.ownership,
    nature_of_ownership: row.natureOfOwnership,
    footnote_refs: footnoteRefs(row),
  };
}

export function derivativeHoldingRow(row: OwnershipRow): DerivativeHoldingRow {
  return { ...holdingRow(row), ...derivativeTerms(row) };
}

function derivativeTerms(
  row: OwnershipRow,
): Pick<DerivativeRow, 'underlying' | 'conversion_or_exercise_price' | 'exercise_date' | 'expiration_date'> {
  return {
    underlying: { title: row.underlyingTitle, shares: row.underlyingShares },
    conversion_or_exercise_price: row.conversionOrExercisePrice,
    exercise_date: row.exerciseDate,
    expiration_date: row.expirationDate,
  };
}

/** In the order of the form. */
function footnoteRefs(row: OwnershipRow): FootnoteRefs {
  return Object.entries(row.footnoteIds).map(([element, ids]) => ({
    field: fieldOfElement(element, row.rowKind),
    footnote_ids: [...ids],
  }));
}
