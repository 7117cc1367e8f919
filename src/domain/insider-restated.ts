import { plainDecimal } from './insider-identity.ts';
import type { Trade } from './insider-trade.ts';

/** Trades of an original filing and of the amendments that restate it: one report of the same trades. */
export type Chain = readonly Trade[];

/**
 * Which of several earlier reports an amendment restates: the one that it names by its date, of those
 * the one of the very same owners, of those the one that shares a row or, failing that, an amount with
 * it (domain 2.12). More than one where none of this tells them apart.
 * @param rows the amendment's own trades of the security, day and code
 */
export function chainsMeant<C extends Chain>(rows: Chain, chains: readonly C[]): readonly C[] {
  const [row] = rows;
  if (row === undefined) return [];
  const named = row.filing.dateOfOriginalSubmission;
  const tests: ((chain: Chain) => boolean)[] = [
    (chain) => chain.some((other) => named !== null && reportDates(other).includes(named)),
    (chain) => chain.some((other) => ownerKey(other) === ownerKey(row)),
    (chain) => chain.some((other) => rows.some((own) => amountsOf(own).join() === amountsOf(other).join())),
    (chain) => chain.some((other) => rows.some((own) => sharesAmount(own, other))),
  ];
  return tests.reduce<readonly C[]>(preferred, chains);
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
