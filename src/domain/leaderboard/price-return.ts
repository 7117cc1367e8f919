import type { Cusip } from '../ids.ts';
import { roundHalfEvenDiv } from '../money.ts';
import type { ShareConversions } from '../peers/share-conversion.ts';
import { SPLIT_PRICE_TOLERANCE } from '../peers/thresholds.ts';
import { WHOLE } from '../ratio.ts';
import type { ImpliedPrice, PricedSecurity, PriceTable } from '../report/implied-price.ts';
import { ONE_FOR_ONE } from '../report/split-factor.ts';
import { SUSPECTING_SHARE } from './thresholds.ts';

/** From one quarter's end to the next one's. */
export type Period = {
  readonly from: PriceTable;
  readonly to: PriceTable;
  readonly conversions: ShareConversions;
};

/**
 * Price return of a security over the period, in billionths, half-even (rule 9.2). A changed CUSIP is
 * followed to the price of the new one. Null when an end has no price, or when a split is suspected
 * and no vote confirms it: such a security is unpriced, never guessed.
 */
export function priceReturn(cusip: Cusip, { from, to, conversions }: Period): bigint | null {
  const factor = conversions.get(cusip);
  const before = from.get(cusip);
  const after = to.get(factor?.cusip ?? cusip);
  if (before === undefined || after === undefined) return null;
  if (factor === undefined && isSplitSuspected(before, after)) return null;
  const { numerator, denominator } = factor ?? ONE_FOR_ONE;
  const end = after.valueCents * before.shares * numerator;
  const start = before.valueCents * after.shares * denominator;
  return roundHalfEvenDiv(end * WHOLE, start) - WHOLE;
}

/** The same for many portfolios over one period: each security is computed once. */
export function returnsOver(period: Period): (cusip: Cusip) => bigint | null {
  const known = new Map<Cusip, bigint | null>();
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
  return Math.abs(ratio - 1) > SPLIT_PRICE_TOLERANCE;
}
