import type { Insiders, Institutional } from '../wire/brief.ts';

/** With both directions present, the net must be at least this share of the gross (rule 7.4). */
export const NET_SHARE_PERCENT = 20n;

export type Direction = 'up' | 'down' | 'mixed' | 'none';

/**
 * Direction of two opposing amounts in the same unit, neither negative. A side can exist with an
 * amount of zero: a trade without a price exists and has no weight.
 *
 * | up  | down | net against 20 % of gross | direction |
 * | --- | ---- | ------------------------- | --------- |
 * | no  | no   |                           | none      |
 * | yes | no   |                           | up        |
 * | no  | yes  |                           | down      |
 * | yes | yes  | at least, up heavier      | up        |
 * | yes | yes  | at least, down heavier    | down      |
 * | yes | yes  | below, or both are zero   | mixed     |
 */
export function directionOf(up: Weight, down: Weight): Direction {
  if (!up.exists && !down.exists) return 'none';
  if (!down.exists) return 'up';
  if (!up.exists) return 'down';
  const net = up.amount - down.amount;
  const gross = up.amount + down.amount;
  const size = net < 0n ? -net : net;
  if (size === 0n || size * 100n < gross * NET_SHARE_PERCENT) return 'mixed';
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

/**
 * The first row that applies decides (rule 7.4):
 *
 * | observed | suppressed | clear changes | clearly unchanged | stance                       |
 * | -------- | ---------- | ------------- | ----------------- | ---------------------------- |
 * | 0        |            |               |                   | none_found                   |
 * | > 0      | yes        |               |                   | not_determined               |
 * | > 0      | no         | some          |                   | by {@link directionOf}       |
 * | > 0      | no         | none          | > 0               | unchanged                    |
 * | > 0      | no         | none          | 0 (baseline only) | not_determined               |
 */
export function institutionalStance(evidence: InstitutionalEvidence): Institutional['stance'] {
  if (evidence.observed === 0) return 'none_found';
  if (evidence.isSuppressed) return 'not_determined';
  const direction = directionOf(evidence.up, evidence.down);
  if (direction === 'up') return 'net_increases';
  if (direction === 'down') return 'net_decreases';
  if (direction === 'mixed') return 'mixed';
  return evidence.clearlyUnchanged > 0 ? 'unchanged' : 'not_determined';
}

/** Without coverage not_available, otherwise by priced value as {@link directionOf}. */
export function insiderStance(hasCoverage: boolean, buys: Weight, sells: Weight): Insiders['stance'] {
  if (!hasCoverage) return 'not_available';
  const direction = directionOf(buys, sells);
  if (direction === 'up') return 'net_buying';
  if (direction === 'down') return 'net_selling';
  return direction === 'mixed' ? 'mixed' : 'none_found';
}
