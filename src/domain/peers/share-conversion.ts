import type { Cusip } from '../ids.ts';
import type { SplitFactor } from '../report/report.ts';
import type { CorporateAction } from './verdict.ts';

/** New shares for each old one between two quarters, of another CUSIP if one is named. */
export type ShareConversion = SplitFactor & { readonly cusip?: Cusip };

/** Confirmed splits and CUSIP changes between two quarters, by the earlier CUSIP. */
export type ShareConversions = ReadonlyMap<Cusip, ShareConversion>;

export const NO_CONVERSIONS: ShareConversions = new Map();

export function shareConversionsOf(corporateActions: readonly CorporateAction[]): ShareConversions {
  const conversions = new Map<Cusip, ShareConversion>();
  for (const action of corporateActions) {
    if (action.kind === 'split') conversions.set(action.cusip, action.factor);
    if (action.kind === 'cusip_change')
      conversions.set(action.from, { ...action.factor, cusip: action.cusip });
  }
  return conversions;
}
