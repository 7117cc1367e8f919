import { plainDecimal } from './insider-identity.ts';
import type { Trade } from './insider-trade.ts';

/** Trades of an original filing and of the amendments that restate it: one report of the same trades. */
export type Chain = readonly Trade[];

/**
 * Which of several earlier reports an amendment restates: the one that it names by its date, of those
 * the one of the very same owners, of those the one that shares a row or, failing that, an amount with
 * it (domain 2.12). More than one where none of this tells them apart. None where it names a date that
 * no report bears and no amount is shared, or has fewer rows than the report and none of them: the day
 * and the code alone may be those of another trade, or of a tranche that was left out.
 * @param rows the amendment's own trades of the security, day and code
 */
export function chainsMeant<C extends Chain>(rows: Chain, chains: readonly C[]): readonly C[] {
  const [row] = rows;
  if (row === undefined) return [];
  const tests: ((chain: Chain) => boolean)[] = [
    (chain) => chain.some((other) => ownerKey(other) === ownerKey(row)),
    (chain) => isAlike(rows, chain, (own, other) => amountsOf(own).join() === amountsOf(other).join()),
    (chain) => isAlike(rows, chain, sharesAmount),
  ];
  const possible = chainsNamed(rows, row, chains).filter(
    (chain) => rows.length >= standingRows(chain) || isAlike(rows, chain, isSameRow),
  );
  return tests.reduce<readonly C[]>(preferred, possible);
}

/** Those that bear the date that the amendment names; where none does, those that share an amount. */
function chainsNamed<C extends Chain>(rows: Chain, { filing }: Trade, chains: readonly C[]): readonly C[] {
  const named = filing.dateOfOriginalSubmission;
  if (named === null) return chains;
  const bearing = chains.filter((chain) => chain.some((other) => reportDates(other).includes(named)));
  return bearing.length > 0 ? bearing : chains.filter((chain) => isAlike(rows, chain, sharesAmount));
}

function isAlike(rows: Chain, chain: Chain, test: (own: Trade, other: Trade) => boolean): boolean {
  return rows.some((own) => chain.some((other) => test(own, other)));
}

/** The rows of the newest report of a chain, which are those that stand. */
function standingRows(chain: Chain): number {
  const newest = chain.at(-1)?.filing;
  return chain.filter(({ filing }) => filing === newest).length;
}

/** The subset that passes, or everything when nothing does. */
function preferred<C extends Chain>(chains: readonly C[], test: (chain: Chain) => boolean): readonly C[] {
  const passing = chains.filter(test);
  return passing.length > 0 ? passing : chains;
}

/** A second amendment names the original, or the amendment that it corrects. */
function reportDates({ filing }: Trade): readonly (string | null)[] {
  return [filing.header.filedDate, filing.form === '4/A' ? filing.dateOfOriginalSubmission : null];
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

/** Of one day and code, a row is known again by what was owned after it, or by its shares and price. */
function isSameRow(a: Trade, b: Trade): boolean {
  const [one, other] = [amountsOf(a), amountsOf(b)];
  return (/[1-9]/.test(one[2]) && one[2] === other[2]) || (one[0] === other[0] && one[1] === other[1]);
}
