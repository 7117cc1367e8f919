import type { Cusip } from '../ids.ts';
import type { SplitFactor } from '../report/split-factor.ts';
import type { CorporateAction } from './verdict.ts';

/** What the filers confirmed of a quarter's splits and new CUSIPs, as a holder of the quarter before meets it. */
export function exchangesOf(events: readonly CorporateAction[]): SplitFactors {
  const exchanges = new Map<Cusip, Exchange>();
  for (const event of events) {
    if (event.kind === 'split') exchanges.set(event.cusip, event.factor);
    if (event.kind === 'cusip_change') exchanges.set(event.from, { ...event.factor, cusip: event.cusip });
  }
  return exchanges;
}

/** What a share became between two quarters: so many shares, of another CUSIP where one is named. */
export type Exchange = SplitFactor & { readonly cusip?: Cusip };

/** Splits and new CUSIPs that a vote of filers has confirmed between two quarters, by the earlier CUSIP. */
export type SplitFactors = ReadonlyMap<Cusip, Exchange>;

export const NO_SPLITS: SplitFactors = new Map();
