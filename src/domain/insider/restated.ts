import { isSameAmount, plainDecimal } from './identity.ts';
import type { Trade } from './trade.ts';
import { narrowed, restatedRows } from './tranche.ts';

const AMOUNTS = ['shares', 'pricePerShare', 'sharesOwnedAfter'] as const;

/** An original filing with the amendments that restate it: one report of the same trades. */
export type Report = {
  /** Of the original and of each amendment, in filing order. */
  readonly trades: readonly Trade[];
  /** Those that no amendment has replaced. */
  readonly standing: readonly Trade[];
};

/**
 * Which of several earlier reports an amendment restates (rule 6.5). Several if nothing decides; none if it
 * restates no row: the day and the code alone may be those of another trade, or of a tranche left out.
 * @param rows the amendment's own trades of the security, day and code
 */
export function reportsMeant<R extends Report>(rows: readonly Trade[], reports: readonly R[]): readonly R[] {
  const [row] = rows;
  if (row === undefined) return [];
  const tests: ((report: Report) => boolean)[] = [
    ({ trades }) => trades.some((other) => ownerKey(other) === ownerKey(row)),
    ({ trades }) => isAlike(rows, trades, (own, other) => amountsOf(own) === amountsOf(other)),
    ({ trades }) => isAlike(rows, trades, sharesAmount),
  ];
  const possible = reportsNamed(rows, row, reports).filter(
    ({ standing }) => restatedRows(rows, standing).size > 0,
  );
  return tests.reduce<readonly R[]>(narrowed, possible);
}

/** Reports of the date that the amendment names; if there is none, those that share an amount. */
function reportsNamed<R extends Report>(
  rows: readonly Trade[],
  { filing }: Trade,
  reports: readonly R[],
): readonly R[] {
  const named = filing.dateOfOriginalSubmission;
  if (named === null) return reports;
  const bearing = reports.filter(({ trades }) => trades.some((other) => reportDates(other).includes(named)));
  return bearing.length > 0 ? bearing : reports.filter(({ trades }) => isAlike(rows, trades, sharesAmount));
}

function isAlike(
  rows: readonly Trade[],
  trades: readonly Trade[],
  test: (own: Trade, other: Trade) => boolean,
): boolean {
  return rows.some((own) => trades.some((other) => test(own, other)));
}

/** A second amendment may name the original or the amendment that it corrects. */
function reportDates({ filing }: Trade): readonly (string | null)[] {
  return [filing.header.filedDate, filing.isAmendment ? filing.dateOfOriginalSubmission : null];
}

function ownerKey(trade: Trade): string {
  return trade.owners
    .map((owner) => owner.cik)
    .sort()
    .join();
}

function amountsOf({ row }: Trade): string {
  return AMOUNTS.map((amount) => plainDecimal(row[amount])).join();
}

function sharesAmount({ row }: Trade, other: Trade): boolean {
  return AMOUNTS.some((amount) => isSameAmount(row[amount], other.row[amount]));
}
