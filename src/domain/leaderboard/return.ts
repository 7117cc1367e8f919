import type { Cusip } from '../ids.ts';
import { roundHalfEvenDiv } from '../money.ts';
import { fractionOf } from '../ratio.ts';
import type { CopiedPosition } from './portfolio.ts';

/** What a copied portfolio earned over a period, in billionths. */
type CopiedReturn = {
  /** Over the priced positions alone; null when none is. */
  readonly priced: bigint | null;
  /** With every unpriced position carried at its last price, so that it earns nothing. */
  readonly carried: bigint;
  /** The share of the weights that has a price at both ends. */
  readonly pricedWeight: bigint;
};

/**
 * Null for an empty portfolio. Sums are of integers, so the order of the positions changes no digit.
 * @param gainOf a security over the period, null where it has no price
 */
export function copiedReturn(
  copied: readonly CopiedPosition[],
  gainOf: (cusip: Cusip) => bigint | null,
): CopiedReturn | null {
  let all = 0n;
  let priced = 0n;
  let earned = 0n;
  for (const { cusip, weight } of copied) {
    all += weight;
    const gained = gainOf(cusip);
    if (gained === null) continue;
    priced += weight;
    earned += weight * gained;
  }
  if (all === 0n) return null;
  return {
    priced: priced === 0n ? null : roundHalfEvenDiv(earned, priced),
    carried: roundHalfEvenDiv(earned, all),
    pricedWeight: fractionOf(priced, all),
  };
}

/** Half the sum of all changes of weight between two copied portfolios; null when one is empty. */
export function turnoverOf(
  before: readonly CopiedPosition[],
  after: readonly CopiedPosition[],
): bigint | null {
  if (before.length === 0 || after.length === 0) return null;
  const [old, now] = [normalised(before), normalised(after)];
  const cusips = new Set([...old.keys(), ...now.keys()]);
  let moved = 0n;
  for (const cusip of cusips) {
    const change = (now.get(cusip) ?? 0n) - (old.get(cusip) ?? 0n);
    moved += change < 0n ? -change : change;
  }
  return roundHalfEvenDiv(moved, 2n);
}

function normalised(copied: readonly CopiedPosition[]): Map<Cusip, bigint> {
  const all = copied.reduce((sum, { weight }) => sum + weight, 0n);
  return new Map(copied.map(({ cusip, weight }) => [cusip, fractionOf(weight, all)]));
}
