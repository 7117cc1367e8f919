import type { ReportingOwner } from '../filing/filing.ts';
import { connectedGroups, groupBy } from '../group.ts';
import { qualityOf } from '../quality/quality.ts';
import { compareFilings } from './amendment.ts';
import {
  blockKey,
  fingerprint,
  groupsAlike,
  isBlockHeldTogether,
  isSameBlock,
  isSameTrade,
  sharesReportingOwner,
} from './identity.ts';
import type { Trade } from './trade.ts';

/**
 * Counts a P or S trade once that several filings report (rule 6.6). The first filing's row takes over the
 * other owners and accessions. The k-th of equal rows in one filing is merged with the k-th of the other.
 */
export function mergeDuplicates(trades: readonly Trade[]): Trade[] {
  return mergeAlike(mergeAlike(trades, fingerprint, isReportedTwice), blockKey, isBlockHeldTogether);
}

function mergeAlike(
  trades: readonly Trade[],
  keyOf: typeof fingerprint,
  isSame: (a: Trade, b: Trade) => boolean,
): Trade[] {
  const merged = new Map(trades.map((trade) => [trade.id, trade]));
  const open = trades.filter(
    (trade) => trade.side !== 'other' && qualityOf(trade.reasons).status === 'clear',
  );
  for (const group of groupsAlike(open, keyOf)) {
    if (new Set(group.map((trade) => trade.filing)).size < 2) continue;
    for (const same of groupBy(numbered(group), ({ nth }) => String(nth)).values()) {
      for (const cluster of connectedGroups(same, (a, b) => isSame(a.trade, b.trade))) {
        for (const trade of mergedCluster(cluster.map((entry) => entry.trade))) merged.set(trade.id, trade);
      }
    }
  }
  return trades.map((trade) => merged.get(trade.id) ?? trade);
}

/** Those of the trades that count which filings without a common owner report, as one block of one group. */
export function blocksIn(trades: readonly Trade[], considered: readonly Trade[]): Trade[] {
  const repeats = considered.filter(({ reasons }) => reasons.includes('duplicate_trade'));
  return trades.filter(({ accessions, filing }) =>
    repeats.some(
      (other) =>
        accessions.includes(other.filing.header.accession) && !sharesReportingOwner(filing, other.filing),
    ),
  );
}

function isReportedTwice(a: Trade, b: Trade): boolean {
  return isSameTrade(a, b) || isSameBlock(a, b);
}

function mergedCluster(cluster: readonly Trade[]): Trade[] {
  const [first, ...others] = [...cluster].sort((a, b) => compareFilings(a.filing, b.filing));
  if (first === undefined) return [];
  const kept: Trade = {
    ...first,
    owners: uniqueOwners([first, ...others].flatMap((trade) => trade.owners)),
    accessions: [...new Set([first, ...others].flatMap((trade) => trade.accessions))],
  };
  return [
    kept,
    ...others.map((trade): Trade => ({ ...trade, reasons: [...trade.reasons, 'duplicate_trade'] })),
  ];
}

/** A row with its rank among the equal rows of its own filing. */
type Numbered = { readonly trade: Trade; readonly nth: number };

function numbered(group: readonly Trade[]): Numbered[] {
  return [...groupBy(group, (trade) => trade.filing.header.accession).values()].flatMap((rows) =>
    rows.sort((a, b) => a.row.row - b.row.row).map((trade, nth) => ({ trade, nth })),
  );
}

function uniqueOwners(owners: readonly ReportingOwner[]): ReportingOwner[] {
  return owners.filter((owner, at) => owners.findIndex((other) => other.cik === owner.cik) === at);
}
