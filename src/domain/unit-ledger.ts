import type { FilingScale } from './consensus.ts';
import type { FiledReport, FiledSecurity } from './filed-security.ts';
import type { Accession, Cik, Cusip } from './ids.ts';
import { type FiledUnits, medianOfOthers, medianWithout, type Quotes } from './peer-price.ts';
import { tallyPrice } from './unit.ts';
import { decideScale, emptySample, isOnScale, MIN_COMPARABLE_ROWS, type UnitSample } from './unit-vote.ts';

/** Decimal orders from the other filers' price from which a single row is a slip (domain 2.1, defect C). */
export const OUTLIER_BAND = 1;

/** A security's quotes at the quarter end and at the ends before and after it; the last are seldom needed. */
export type QuotesAround = { readonly prior: Quotes; readonly current: Quotes; readonly next: () => Quotes };

/** Collects a sample of prices for each filing of the quarter. */
export type UnitLedger = {
  readonly add: (security: FiledSecurity, quotes: QuotesAround) => void;
  readonly scalesOf: (report: FiledReport) => FilingScale[];
  readonly outliersOf: (report: FiledReport) => Cusip[];
};

type Account = UnitSample & { readonly far: Cusip[] };

export function unitLedger(reports: readonly FiledReport[], units: FiledUnits): UnitLedger {
  const accounts = new Map<Accession, Account>();
  for (const { accession } of reports.flatMap(({ filings }) => filings)) {
    const eraCents = units.get(accession);
    if (eraCents !== undefined) accounts.set(accession, { ...emptySample(accession, eraCents), far: [] });
  }
  const accountsOf = ({ filings }: FiledReport): Account[] =>
    filings.map(({ accession }) => accounts.get(accession)).filter((one) => one !== undefined);
  return {
    add: (security, quotes) => {
      countOwn(accounts, security);
      compareQuotes(accounts, security.cusip, quotes);
    },
    scalesOf: (report) =>
      accountsOf(report)
        .map(decideScale)
        .filter((scale) => scale !== null)
        .sort((a, b) => (a.accession < b.accession ? -1 : 1)),
    outliersOf: (report) =>
      accountsOf(report)
        .filter(isOnScale)
        .flatMap(({ far }) => far)
        .sort(),
  };
}

function countOwn(accounts: ReadonlyMap<Accession, Account>, { current }: FiledSecurity): void {
  for (const position of current) {
    const account = position.accession === null ? undefined : accounts.get(position.accession);
    // A price of its own takes no CUSIP that can be right, so a mistyped one counts too.
    if (account === undefined || position.valueCents <= 0n) continue;
    account.totalCents += position.valueCents;
    tallyPrice(account.own, position, account.eraCents);
  }
}

/**
 * Where too few others hold the security, their price of the quarter before or after serves for the
 * unit, which is off by a thousand or not at all. No confirmed split can lie between: its voters
 * hold the security at both ends, so there is a price. A slip is judged by the same day's price only.
 */
function compareQuotes(accounts: ReadonlyMap<Accession, Account>, cusip: Cusip, quotes: QuotesAround): void {
  const { all, sorted } = quotes.current;
  for (const { position, accession, log } of all) {
    const account = accounts.get(accession);
    if (account === undefined) continue;
    const same = medianWithout(sorted, log);
    const price = same ?? elsewhere(position.cik, quotes);
    if (price === null) continue;
    const ratio = log - price;
    account.logs.push(ratio);
    if (account.thin.length < MIN_COMPARABLE_ROWS) {
      account.thin.push({ log: ratio, valueCents: position.valueCents });
    }
    if (same !== null && Math.abs(ratio) > OUTLIER_BAND) account.far.push(cusip);
  }
}

function elsewhere(cik: Cik, { prior, next }: QuotesAround): number | null {
  return medianOfOthers(prior, cik) ?? medianOfOthers(next(), cik);
}
