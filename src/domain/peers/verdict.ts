import type { Accession, Cik, Cusip, IsoDate, QuarterEnd } from '../ids.ts';
import type { PriceStep } from '../market/market.ts';
import type { Reason } from '../quality/quality.ts';
import type { MovedPositions, SplitFactor } from '../report/report.ts';

/**
 * What all filers of a quarter imply together: splits and CUSIP changes since the quarter before
 * (rules 4.5 to 4.9), and the scales and slips of single reports (rules 4.3 and 4.4). It is computed
 * from positions as filed, and never from what it corrects. So it is a pure function of the filings,
 * in whatever order they came (rule 4.1).
 */
export type PeerVerdicts = {
  /** The later of the two quarters compared. */
  readonly quarterEnd: QuarterEnd;
  readonly corporateActions: readonly CorporateAction[];
};

/** At most one of `split`, `split_suspected` and `mass_exit` for a CUSIP; sorted by CUSIP, then kind and `from`. */
export type CorporateAction =
  | SplitVote
  | CusipChange
  | SuspectedCusipChange
  | MassExit
  | MassEntry
  | StockMerger;

/** Holders that moved alike, of those compared. */
type Votes = { readonly cusip: Cusip; readonly votes: number; readonly compared: number };

/**
 * A split: the price jumped by the inverse of the factor between two days, and holders' counts moved by it. Suspected
 * where only prices, or only counts, show it: nothing is restated, and no count of its holders is certain.
 */
export type SplitVote = Votes & {
  readonly kind: 'split' | 'split_suspected';
  readonly factor: SplitFactor;
  readonly prices?: PriceStep;
};

/**
 * A security that goes on under another CUSIP than `from`: a reverse split, a new domicile, a new name.
 * `prices`: the last day of its symbol under the one and the first under the other; absent where equal counts of
 * holders prove it. `votes` of the `compared` holders of the old one went over.
 */
export type CusipChange = Votes & {
  readonly kind: 'cusip_change';
  readonly from: Cusip;
  readonly factor: SplitFactor;
  readonly prices?: PriceStep;
};

/** Two CUSIPs that may be one security: who left the one and entered the other may have done nothing. */
export type SuspectedCusipChange = Votes & {
  readonly kind: 'cusip_change_suspected';
  readonly from: Cusip;
  readonly prices?: PriceStep;
};

/** Nearly all holders of a CUSIP left it at once. */
export type MassExit = Votes & { readonly kind: 'mass_exit' };

/**
 * Nearly all holders of a CUSIP entered it at once, and most of them held or left one other CUSIP: they were given it.
 * `listedOn`: they are few, and the security was new on the market, so they may have been given it.
 */
export type MassEntry = Votes & { readonly kind: 'mass_entry'; readonly listedOn?: IsoDate };

/**
 * Holders of a security that ceased (`from`) were given shares of this one, which they need not have held
 * before. `compared` are the holders that left.
 */
export type StockMerger = Votes & {
  readonly kind: 'stock_merger';
  readonly from: Cusip;
  /** Shares given for each share of the old one. */
  readonly multiple: number;
};

/** What the other reports of the quarter imply about one report. An empty verdict is not stored. */
export type ReportVerdict = {
  /** For each filing whose scale is not simply that of its date, or could not be confirmed. */
  readonly scales: readonly FilingScale[];
  /** CUSIPs of equity rows whose value per share is far from that of all other filers (rule 4.4). */
  readonly outliers: readonly Cusip[];
  /** Another manager that filed the same positions; the lowest CIK of several (rule 4.10). */
  readonly identicalTo: Cik | null;
  /** Securities that may have moved between the reports of two managers (rule 4.11). */
  readonly moved: readonly MovedPositions[];
};

export type FilingScale = {
  readonly accession: Accession;
  /** Cents in one unit of the value column. */
  readonly scaleCents: bigint;
  readonly reasons: readonly Reason[];
};

export const NO_VERDICT: ReportVerdict = {
  scales: [],
  outliers: [],
  identicalTo: null,
  moved: [],
};

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
