import { abs } from '../money.ts';
import type { Insiders, Institutional } from '../wire/brief.ts';

/** With both directions present, the net must be at least this share of the gross (rule 7.4). */
export const NET_SHARE_PERCENT = 20n;

/**
 * Direction of two opposing amounts in the same unit, neither negative (rule 7.4). A side can exist with
 * an amount of zero: a trade without a price exists and has no weight.
 */
export function directionOf(up: Weight, down: Weight): 'up' | 'down' | 'mixed' | 'none' {
  if (!up.exists && !down.exists) return 'none';
  if (!down.exists) return 'up';
  if (!up.exists) return 'down';
  const net = up.amount - down.amount;
  const gross = up.amount + down.amount;
  if (net === 0n || abs(net) * 100n < gross * NET_SHARE_PERCENT) return 'mixed';
  return net > 0n ? 'up' : 'down';
}

export type Weight = { readonly exists: boolean; readonly amount: bigint };

/** What the counted observations show. Uncertain changes are in neither side. */
export type InstitutionalEvidence = {
  readonly observed: number;
  readonly up: Weight;
  readonly down: Weight;
  readonly isSuppressed: boolean;
  readonly clearlyUnchanged: number;
};

/** The first condition that applies decides (rule 7.4). */
export function institutionalStance(evidence: InstitutionalEvidence): Institutional['stance'] {
  if (evidence.observed === 0) return 'none_found';
  if (evidence.isSuppressed) return 'not_determined';
  const without = evidence.clearlyUnchanged > 0 ? 'unchanged' : 'not_determined';
  const stances = { up: 'net_increases', down: 'net_decreases', mixed: 'mixed', none: without } as const;
  return stances[directionOf(evidence.up, evidence.down)];
}

/**
 * What a leg without a deciding trade means: that none was found, or that none had to be filed. Where
 * filings are not covered, no stance is given whatever is stored.
 */
export type WithoutTrades = 'none_found' | 'not_available' | 'not_covered';

/** By priced value as {@link directionOf}. */
export function insiderStance(without: WithoutTrades, buys: Weight, sells: Weight): Insiders['stance'] {
  if (without === 'not_covered') return 'not_available';
  const stances = { up: 'net_buying', down: 'net_selling', mixed: 'mixed', none: without } as const;
  return stances[directionOf(buys, sells)];
}
