import type { Ownership } from './filing.ts';
import type { Accession } from './ids.ts';
import { fingerprint, isSameTrade, securityKey, sharesOwner } from './insider-identity.ts';
import type { Trade } from './insider-trade.ts';

/**
 * Filing order: by day, then time of acceptance, then accession. Arrival order never matters.
 * Without a time of acceptance (bulk rows) the accession decides within the day.
 */
export function compareFilings(a: Ownership, b: Ownership): number {
  return compareText(filingOrderKey(a), filingOrderKey(b));
}

/**
 * A 4/A replaces the rows that it restates: those of an earlier filing with the same owner,
 * security, transaction date and code; the rest of the original stays (contract 8). Within such a
 * key all rows are replaced by all rows, since tranches have no identity of their own.
 * Of several filings that match, the one named by `dateOfOriginalSubmission` is meant, and of
 * those the one with the very same owners; filings that repeat the same trade go with it. Holdings-only amendments restate no trade.
 * Replaced rows get `superseded_by_amendment`; rows of an amendment that match nothing stay beside
 * the original with `unreconciled_amendment`.
 */
export function reconcileAmendments(trades: readonly Trade[]): Trade[] {
  const byKey = groupBy(trades, restatementKey);
  const superseded = new Map<string, Accession>();
  const amends = new Map<string, Accession>();
  for (const group of byKey.values()) {
    for (const amendment of group.filter((trade) => trade.filing.form === '4/A')) {
      const targets = restatedBy(amendment, group);
      // Trades come in filing order, so the newest amendment is the last to say so.
      for (const target of [...targets, ...repeatedBy(targets, amendment, group)])
        superseded.set(target.id, amendment.filing.header.accession);
      const first = targets.map((target) => target.filing).sort(compareFilings)[0];
      if (first !== undefined) amends.set(amendment.id, first.header.accession);
    }
  }
  return trades.map((trade) =>
    reconciled(trade, superseded.get(trade.id) ?? null, amends.get(trade.id) ?? null),
  );
}

function reconciled(trade: Trade, supersededBy: Accession | null, amends: Accession | null): Trade {
  const reasons = [...trade.reasons];
  if (supersededBy !== null) reasons.push('superseded_by_amendment');
  if (trade.filing.form === '4/A' && amends === null) reasons.push('unreconciled_amendment');
  return { ...trade, amends, supersededBy, reasons };
}

function restatedBy(amendment: Trade, group: readonly Trade[]): readonly Trade[] {
  const earlier = group.filter(
    (other) => compareFilings(other.filing, amendment.filing) < 0 && sharesOwner(other, amendment),
  );
  const named = amendment.filing.dateOfOriginalSubmission;
  const dated = preferred(earlier, (other) => named !== null && originalDate(other.filing) === named);
  return preferred(dated, (other) => ownerKey(other) === ownerKey(amendment));
}

/** Another filing of earlier that reports the very same trade is restated with it: the trade is one. */
function repeatedBy(targets: readonly Trade[], amendment: Trade, group: readonly Trade[]): readonly Trade[] {
  const prints = new Map(targets.map((target) => [fingerprint(target), target]));
  return group.filter((other) => {
    const target = prints.get(fingerprint(other));
    if (target === undefined || targets.includes(other)) return false;
    return compareFilings(other.filing, amendment.filing) < 0 && isSameTrade(target, other);
  });
}

/** The subset that passes, or everything when nothing does. */
function preferred(trades: readonly Trade[], test: (trade: Trade) => boolean): readonly Trade[] {
  const passing = trades.filter(test);
  return passing.length > 0 ? passing : trades;
}

/** The day on which the chain of filings began: a second amendment names the original, not the first. */
function originalDate(filing: Ownership): string | null {
  return filing.form === '4/A' ? filing.dateOfOriginalSubmission : filing.header.filedDate;
}

function restatementKey({ row }: Trade): string {
  return `${securityKey(row.securityTitle)}|${row.transactionDate ?? ''}|${row.code ?? ''}`;
}

function ownerKey(trade: Trade): string {
  return trade.owners
    .map((owner) => owner.cik)
    .sort()
    .join();
}

/** Sorts as {@link compareFilings} does. */
export function filingOrderKey({ header }: Ownership): string {
  return `${header.filedDate}|${header.acceptedAt ?? ''}|${header.accession}`;
}

export function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
