import { roundHalfEvenDiv } from '../money.ts';
import { medianPctDelta, weightPct } from '../ratio.ts';
import { isValued } from '../report/holding.ts';
import { CENTS_PER_DOLLAR } from '../report/scale.ts';
import type { Institutional } from '../wire/brief.ts';
import { holdsOrHeld, type JudgedObservation, type Observed, qualityOfObservation } from './observation.ts';

/** Clear changes in one direction. */
type Side = { exists: boolean; holders: number; amount: bigint };

/** Shares and their value, to price other shares. */
type Priced = { shares: bigint; valueCents: bigint };

export type Totals = ReturnType<typeof totalsOf>;

/**
 * Sums over the clear observations with a comparable quarter before, in restated counts, in one pass (rule
 * 7.6). What did not move belongs to the shares held, and what is only a baseline to nothing.
 */
export function totalsOf(counted: readonly JudgedObservation[]) {
  const [up, down]: [Side, Side] = [
    { exists: false, holders: 0, amount: 0n },
    { exists: false, holders: 0, amount: 0n },
  ];
  const [now, before]: [Priced, Priced] = [
    { shares: 0n, valueCents: 0n },
    { shares: 0n, valueCents: 0n },
  ];
  const kept: [now: bigint, before: bigint][] = [];
  let [sharesNow, sharesBefore, unchanged] = [0n, 0n, 0];
  for (const { observation, action, quality } of counted) {
    if (action === 'baseline_only' || quality.status !== 'clear') continue;
    const { currentShares, previousShares } = observation;
    sharesNow += currentShares;
    sharesBefore += previousShares;
    if (currentShares > previousShares) extend(up, currentShares - previousShares);
    else if (currentShares < previousShares) extend(down, previousShares - currentShares);
    else unchanged += 1;
    if (currentShares > 0n && previousShares > 0n) kept.push([currentShares, previousShares]);
    if (!isValued(quality) || quality.reasons.includes('value_unit_unverified')) continue;
    price(now, currentShares, observation.currentValueCents);
    price(before, previousShares, observation.previousValueCents);
  }
  const medianPct = medianPctDelta(kept);
  return { up, down, unchanged, sharesNow, sharesBefore, medianPct, price: now.shares > 0n ? now : before };
}

function extend(side: Side, amount: bigint): void {
  side.exists = true;
  side.holders += 1;
  side.amount += amount;
}

function price(priced: Priced, shares: bigint, valueCents: bigint): void {
  if (shares <= 0n || valueCents <= 0n) return;
  priced.shares += shares;
  priced.valueCents += valueCents;
}

export function netDelta({ up, down }: Totals): bigint {
  return up.amount - down.amount;
}

/** `institutional.totals`: the net is valued at what the reports imply for a share (rule 7.6). */
export function totalsItem(totals: Totals): Institutional['totals'] {
  const { up, down, sharesNow, sharesBefore, price, medianPct } = totals;
  const net = netDelta(totals);
  return {
    net_share_delta: String(net),
    gross_share_delta: String(up.amount + down.amount),
    shares_now: String(sharesNow),
    shares_before: String(sharesBefore),
    net_pct_of_held: sharesBefore === 0n ? null : weightPct(net, sharesBefore),
    net_value_usd:
      price.shares === 0n
        ? null
        : Number(roundHalfEvenDiv(net * price.valueCents, price.shares * CENTS_PER_DOLLAR)),
    holders_up: up.holders,
    holders_down: down.holders,
    median_pct_delta: medianPct,
  };
}

/** One manager's puts or calls on the security, in shares of the underlying. */
export type OptionObservation = Observed & { readonly putCall: 'PUT' | 'CALL' };

type OptionsLeg = ReturnType<typeof optionsLeg>;

/**
 * Options beside the shares (rule 7.8): every manager that has some at either end counts, and as in the
 * totals of the shares only clear changes with a comparable quarter before are summed.
 */
export function optionsLeg(observations: readonly OptionObservation[]) {
  const counted = observations.filter(
    (one) => holdsOrHeld(one) && qualityOfObservation(one).status !== 'excluded',
  );
  const moved = { PUT: 0n, CALL: 0n };
  for (const one of counted) {
    if (!one.comparable || qualityOfObservation(one).status !== 'clear') continue;
    moved[one.putCall] += one.currentShares - one.previousShares;
  }
  return { counted, managers: new Set(counted.map(({ cik }) => cik)).size, put: moved.PUT, call: moved.CALL };
}

export function optionsItem({ managers, put, call }: OptionsLeg): Institutional['options'] {
  return { managers, put_underlying_delta: String(put), call_underlying_delta: String(call) };
}
