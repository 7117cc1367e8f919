import type { Cik, Cusip, Ticker } from '../ids.ts';
import type { Reason } from '../quality/quality.ts';

/** What a ticker stands for on the as-of date (rule 3.5). */
export type SecurityResolution =
  | {
      readonly kind: 'resolved';
      readonly ticker: Ticker;
      /** The ticker asked for, where its company has given it up. */
      readonly formerTicker?: Ticker;
      readonly name: string;
      /** Null when only the issuer is known (Form 4): 13F rows cannot be matched. */
      readonly cusip: Cusip | null;
      readonly issuerCik: Cik | null;
      /** True where fails files describe preferred shares; absent otherwise. */
      readonly isPreferred?: true;
      /** Tickers of the same issuer's other share classes. */
      readonly siblings: readonly Ticker[];
      /** Letter of the share class (`A` of `BRK.A`); null or absent when unknown. */
      readonly shareClass?: string | null;
      /** Letters of the siblings' classes, as far as known. */
      readonly siblingClasses?: readonly string[];
      readonly sources: readonly string[];
      readonly reasons: readonly Reason[];
    }
  | { readonly kind: 'unknown'; readonly ticker: Ticker }
  | { readonly kind: 'ambiguous'; readonly ticker: Ticker; readonly candidates: readonly string[] };

/** Managers that hold a CUSIP, by the quarter end. */
export type HolderCounts = { readonly now: number; readonly before: number };

/**
 * Whether the reports confirm the CUSIP of the as-of date (`own`) against the one of the quarter
 * (`other`). Sources give the day when a CUSIP first failed to settle, not since when it was held. So
 * more holders decide, counted over two quarters: a few that report late or early do not matter. A
 * change of CUSIP that filers proved by vote gives way only when its CUSIP has no holder.
 */
export function isConfirmed(own: HolderCounts, other: HolderCounts, isVoted: boolean): boolean {
  return isVoted ? own.now > 0 && other.now === 0 : own.now + own.before > other.now;
}
