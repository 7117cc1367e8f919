import type { Cik, Cusip, Ticker } from '../ids.ts';
import type { Reason } from '../quality/quality.ts';

/** What is known of the security behind a ticker on the as-of date (rule 3.5). */
export type SecurityResolution =
  | {
      readonly kind: 'resolved';
      readonly ticker: Ticker;
      readonly name: string;
      /** Null when only the issuer is known (Form 4), so that 13F rows cannot be matched. */
      readonly cusip: Cusip | null;
      readonly issuerCik: Cik | null;
      /** Tickers of the same issuer's other share classes. */
      readonly siblings: readonly Ticker[];
      /** Letter of the share class (`A` of `BRK.A`); null or absent when no source tells it. */
      readonly shareClass?: string | null;
      /** Letters of the siblings' classes, as far as known. */
      readonly siblingClasses?: readonly string[];
      readonly sources: readonly string[];
      readonly reasons: readonly Reason[];
    }
  | { readonly kind: 'unknown'; readonly ticker: Ticker }
  | { readonly kind: 'ambiguous'; readonly ticker: Ticker; readonly candidates: readonly string[] };
