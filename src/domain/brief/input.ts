import type { CorpusState } from '../filing/corpus-state.ts';
import type { Ownership } from '../filing/filing.ts';
import type { ManagerObservation } from '../holders/observation.ts';
import type { OptionObservation } from '../holders/options.ts';
import type { Accession, Cik, IsoDate, QuarterEnd, Ticker } from '../ids.ts';
import type { IssuerPrices } from '../insider/price.ts';
import type { PublishedAt } from '../report/report.ts';
import type { SecurityResolution } from '../security/resolution.ts';

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

/** All that a brief is computed from. The same input gives the same bytes, apart from the two clock times. */
export type BriefInput = {
  readonly requestedTicker: Ticker;
  readonly asOf: IsoDate;
  /** Excluded from the id. */
  readonly generatedAt: string;
  readonly resolution: SecurityResolution;
  readonly corpus: CorpusState;
  /** Managers counted (rule 7.1), in any order. */
  readonly observations: readonly ManagerObservation[];
  /** Options on the security by the same rule, in any order. */
  readonly options: readonly OptionObservation[];
  /** The quarter of the last report of each manager that is behind and held the security in it, counted or not. */
  readonly staleQuarters: readonly QuarterEnd[];
  /** All Forms 4 and 4/A of the issuer that may touch the window, in any order. */
  readonly ownershipFilings: readonly Ownership[];
  /** What 13F reports imply as prices of the issuer's shares around the window, to check its trades. */
  readonly issuerPrices: IssuerPrices;
  /** By accession, for every filing that may be cited. */
  readonly evidence: ReadonlyMap<Accession, EvidenceSource>;
};
