import type { SecurityEvent } from './consensus.ts';
import type { Ownership } from './filing.ts';
import type { Accession, Cik, Cusip, IsoDate, QuarterEnd, Ticker } from './ids.ts';
import type { IssuerPrices } from './insider-price.ts';
import type { Reason } from './quality.ts';
import type { PublishedAt, Restatement, RowsUsed } from './report.ts';

/** What is known of the security behind a ticker on the as-of date (domain 2.10). */
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

/** A filing that proves something, as the brief cites it. */
export type EvidenceSource = {
  readonly accession: Accession;
  readonly kind: 'sec_13f' | 'sec_form4';
  readonly formType: string;
  /** Filer for 13F, issuer for Form 4: the CIK in the archive path. */
  readonly cik: Cik;
  readonly publishedAt: PublishedAt;
  readonly retrievedAt: string;
  readonly parserVersion: string;
  /** `sha256:<hex>` of the bytes fetched. */
  readonly rawHash: string | null;
};

/**
 * One manager's equity position in the security in the quarter that it is judged by:
 * the latest reported quarter, or the one before while the filing window is open.
 */
export type ManagerObservation = {
  readonly cik: Cik;
  readonly name: string;
  readonly slug: string;
  readonly quarterEnd: QuarterEnd;
  readonly currentShares: bigint;
  /** As the report has them, where they are in the terms of a later quarter. */
  readonly filedCurrentShares?: bigint;
  readonly previousShares: bigint;
  readonly currentValueCents: bigint;
  readonly previousValueCents: bigint;
  /** False: `baseline_only`, there is no comparable adjacent quarter. */
  readonly comparable: boolean;
  readonly publishedAt: PublishedAt;
  /** The report's filings first, then the prior report's; supplements included (contract 8). */
  readonly accessions: readonly Accession[];
  /** Rows behind the amounts, in either report. */
  readonly rowsUsed: readonly RowsUsed[];
  readonly amendment: { readonly isAmendment: boolean; readonly amendmentType: string | null };
  readonly restated: Restatement | null;
  /** What the filers say together of this security in this quarter; one list for all observations. */
  readonly events: readonly SecurityEvent[];
  readonly reasons: readonly Reason[];
};

export type FilingWindow = 'open' | 'closed';

/** What is known of the corpus as a whole, the same for every ticker of one as-of date. */
export type CorpusState = {
  /** Words for `coverage.thirteen_f.corpus`; no host, no path. */
  readonly corpus: string;
  /** False when the source itself says that it lists a selection of EDGAR's filings. */
  readonly sourceComplete: boolean;
  readonly latestReportedQuarterEnd: QuarterEnd | null;
  readonly filingWindow: FilingWindow;
  /** The first and last day whose daily index was reconciled without a gap; null before that. */
  readonly coverageStart: IsoDate | null;
  readonly indexedThrough: IsoDate | null;
  /** Filings that could not be parsed and are not in any number. */
  readonly quarantined: { readonly thirteenF: number; readonly form4: number };
};

/** Everything that a brief is computed from. The same input gives the same bytes but for the two clocks. */
export type BriefInput = {
  readonly requestedTicker: Ticker;
  readonly asOf: IsoDate;
  /** Excluded from the id. */
  readonly generatedAt: string;
  readonly resolution: SecurityResolution;
  readonly corpus: CorpusState;
  /** Managers counted (contract 8), in any order. */
  readonly observations: readonly ManagerObservation[];
  /** The quarter of the last report of each manager behind that holds the security in it, counted or not. */
  readonly staleQuarters: readonly QuarterEnd[];
  /** All Forms 4 and 4/A of the issuer that may touch the window, in any order. */
  readonly ownershipFilings: readonly Ownership[];
  /** What 13F reports imply of the issuer's shares around the window, for its trades to be held against. */
  readonly issuerPrices: IssuerPrices;
  /** By accession, for every filing that may be cited. */
  readonly evidence: ReadonlyMap<Accession, EvidenceSource>;
};
