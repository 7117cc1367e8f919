import { countConnected, groupBy } from '../group.ts';
import { qualityOf } from '../quality/quality.ts';
import { plainDecimal } from './identity.ts';
import { POSSIBLE_OFFERING_INSIDERS } from './thresholds.ts';
import type { Trade } from './trade.ts';

/**
 * Marks with `possible_offering` the trades of an issuer that at least
 * {@link POSSIBLE_OFFERING_INSIDERS} insiders made on the same side, day and price (rule 6.7). Codes P
 * and S cover private placements and offerings too, and the form has no other mark for them. Joint
 * owners, and forms that share an owner, are one insider. The trades still count.
 */
export function markOfferings(trades: readonly Trade[]): Trade[] {
  const counted = trades.filter(
    (trade) => trade.side !== 'other' && trade.priced && qualityOf(trade.reasons).status !== 'excluded',
  );
  const offered = new Set(
    [...groupBy(counted, offeringKey).values()]
      .filter((group) => insidersOf(group) >= POSSIBLE_OFFERING_INSIDERS)
      .flatMap((group) => group.map((trade) => trade.id)),
  );
  return trades.map((trade) =>
    offered.has(trade.id) ? { ...trade, reasons: [...trade.reasons, 'possible_offering'] } : trade,
  );
}

function offeringKey({ filing, side, placedOn, row }: Trade): string {
  return [filing.issuer.cik, side, placedOn, plainDecimal(row.pricePerShare)].join('|');
}

function insidersOf(group: readonly Trade[]): number {
  return countConnected(group.map((trade) => trade.owners.map((owner) => owner.cik)));
}
