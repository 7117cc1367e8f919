import type { Cusip } from '../ids.ts';
import type { SplitFactor } from '../report/split-factor.ts';
import type { CorporateAction } from './verdict.ts';

/** What the filers confirmed of a quarter's splits and new CUSIPs, as a holder of the quarter before meets it. */
export function shareConversionsOf(corporateActions: readonly CorporateAction[]): ShareConversions {
  const conversions = new Map<Cusip, ShareConversion>();
  for (const action of corporateActions) {
    if (action.kind === 'split') conversions.set(action.cusip, action.factor);
    if (action.kind === 'cusip_change')
      conversions.set(action.from, { ...action.factor, cusip: action.cusip });
  }
  return conversions;
}

/** What a share became between two quarters: so many shares, of another CUSIP where one is named. */
export type ShareConversion = SplitFactor & { readonly cusip?: Cusip };

/** Splits and new CUSIPs that a vote of filers has confirmed between two quarters, by the earlier CUSIP. */
export type ShareConversions = ReadonlyMap<Cusip, ShareConversion>;

export const NO_CONVERSIONS: ShareConversions = new Map();
