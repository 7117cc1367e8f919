import type { Cusip } from '../ids.ts';
import { roundHalfEvenDiv } from '../money.ts';
import type { ShareConversions } from '../peers/verdict.ts';
import { fractionOf, WHOLE } from '../ratio.ts';
import type { ImpliedPrice, PricedSecurity, PriceTable } from '../report/implied-price.ts';
import { ONE_FOR_ONE } from '../report/report.ts';
import type { CopiedPosition } from './portfolio.ts';
import { FAR_PRICE_MOVE, SUSPECTING_SHARE } from './thresholds.ts';

/** Of a security over a period, in billionths. `gone` had a price at the start and has none at the end. */
export type Gain = bigint | 'gone' | null;

/**
 * What a copied portfolio earned over a period, in billionths; null for an empty one. Sums are of integers,
 * so the order of the positions changes no digit.
 */
export function copiedReturn(copied: readonly CopiedPosition[], gainOf: (cusip: Cusip) => Gain) {
  let all = 0n;
  let gone = 0n;
  let priced = 0n;
  let earned = 0n;
  for (const { cusip, weight } of copied) {
    all += weight;
    const gained = gainOf(cusip);
    if (gained === 'gone') gone += weight;
    if (gained === null || gained === 'gone') continue;
    priced += weight;
    earned += weight * gained;
  }
  if (all === 0n) return null;
  return {
    /** Over the priced positions alone; null when none is. */
    priced: priced === 0n ? null : roundHalfEvenDiv(earned, priced),
    /** With every unpriced position carried at its last price, so that it earns nothing. */
    carried: roundHalfEvenDiv(earned, all),
    /** The same, but with a loss of everything in positions whose price is gone: the bound downwards. */
    lost: roundHalfEvenDiv(earned - gone * WHOLE, all),
    /** The share of the weights that has a price at both ends. */
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

/** Two positions may have one CUSIP: that of the security that replaced both. */
function normalised(copied: readonly CopiedPosition[]): Map<Cusip, bigint> {
  const all = copied.reduce((sum, { weight }) => sum + weight, 0n);
  const parts = new Map<Cusip, bigint>();
  for (const { cusip, weight } of copied)
    parts.set(cusip, (parts.get(cusip) ?? 0n) + fractionOf(weight, all));
  return parts;
}

/** From one quarter's end to the next one's. */
type Period = {
  readonly from: PriceTable;
  readonly to: PriceTable;
  readonly conversions: ShareConversions;
};

/**
 * Price return of a security over the period, in billionths, half-even (rule 9.2). A changed CUSIP is
 * followed to the price of the new one. `gone` without a price at the end alone. Null without a price at
 * the start, or when a split is suspected and no vote confirms it: unpriced, never guessed.
 */
export function priceReturn(cusip: Cusip, { from, to, conversions }: Period): Gain {
  const factor = conversions.get(cusip);
  const before = from.get(cusip);
  const after = to.get(factor?.cusip ?? cusip);
  if (before === undefined) return null;
  if (after === undefined) return 'gone';
  if (factor === undefined && isSplitSuspected(before, after)) return null;
  const { numerator, denominator } = factor ?? ONE_FOR_ONE;
  const end = after.valueCents * before.shares * numerator;
  const start = before.valueCents * after.shares * denominator;
  return roundHalfEvenDiv(end * WHOLE, start) - WHOLE;
}

/** The same for many portfolios over one period: each security is computed once. */
export function returnsOver(period: Period): (cusip: Cusip) => Gain {
  const known = new Map<Cusip, Gain>();
  return (cusip) => {
    const found = known.get(cusip);
    if (found !== undefined) return found;
    const gained = priceReturn(cusip, period);
    known.set(cusip, gained);
    return gained;
  };
}

/**
 * Whether the filers' own changes look like a split: enough of them do, and more than stood still,
 * because a split moves every count. Without a holder of both quarters, a price that moved further
 * than markets do in a quarter is enough.
 */
function isSplitSuspected(before: ImpliedPrice, after: PricedSecurity): boolean {
  const { compared, unchanged, splitLike } = after;
  if (compared === 0) return movedFar(before, after);
  return splitLike > unchanged && splitLike >= compared * SUSPECTING_SHARE;
}

function movedFar(before: ImpliedPrice, after: ImpliedPrice): boolean {
  const ratio =
    Number(after.valueCents) / Number(after.shares) / (Number(before.valueCents) / Number(before.shares));
  return Math.abs(ratio - 1) > FAR_PRICE_MOVE;
}
