import { plainDecimal } from './identity.ts';
import type { Trade } from './trade.ts';
import { restatedRows } from './tranche.ts';

/** An original filing with the amendments that restate it: one report of the same trades. */
export type Report = {
  /** Of the original and of each amendment, in filing order. */
  readonly trades: readonly Trade[];
  /** Those that no amendment has replaced. */
  readonly standing: readonly Trade[];
};

/**
 * Which of several earlier reports an amendment restates: the one that it names by its date, of those
 * the one of the very same owners, of those the one that shares a row or, failing that, an amount with
 * it (rule 6.5). More than one where none of this tells them apart. None where it names a date that
 * no report bears and no amount is shared, or restates no row by {@link restatedRows}: the day and the
 * code alone may be those of another trade, or of a tranche that was left out.
 * @param rows the amendment's own trades of the security, day and code
 */
export function reportsMeant<R extends Report>(rows: readonly Trade[], reports: readonly R[]): readonly R[] {
  const [row] = rows;
  if (row === undefined) return [];
  const tests: ((report: Report) => boolean)[] = [
    ({ trades }) => trades.some((other) => ownerKey(other) === ownerKey(row)),
    ({ trades }) => isAlike(rows, trades, (own, other) => amountsOf(own).join() === amountsOf(other).join()),
    ({ trades }) => isAlike(rows, trades, sharesAmount),
  ];
  const possible = reportsNamed(rows, row, reports).filter(
    ({ standing }) => restatedRows(rows, standing).size > 0,
  );
  return tests.reduce<readonly R[]>(preferred, possible);
}

/** Those that bear the date that the amendment names; where none does, those that share an amount. */
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

/** The subset that passes, or everything when nothing does. */
function preferred<R extends Report>(reports: readonly R[], test: (report: Report) => boolean): readonly R[] {
  const passing = reports.filter(test);
  return passing.length > 0 ? passing : reports;
}

/** A second amendment names the original, or the amendment that it corrects. */
function reportDates({ filing }: Trade): readonly (string | null)[] {
  return [filing.header.filedDate, filing.isAmendment ? filing.dateOfOriginalSubmission : null];
}

function ownerKey(trade: Trade): string {
  return trade.owners
    .map((owner) => owner.cik)
    .sort()
    .join();
}

function amountsOf({ row }: Trade): readonly [shares: string, price: string, ownedAfter: string] {
  return [plainDecimal(row.shares), plainDecimal(row.pricePerShare), plainDecimal(row.sharesOwnedAfter)];
}

/** Nothing and zero are no amounts that two rows could share. */
function sharesAmount(a: Trade, b: Trade): boolean {
  const others = amountsOf(b);
  return amountsOf(a).some((amount, at) => /[1-9]/.test(amount) && amount === others[at]);
}
