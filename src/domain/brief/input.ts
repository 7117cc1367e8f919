import { quartersFollowed } from '../change/restate.ts';
import type { Ownership } from '../filing/filing.ts';
import type { CorpusState } from '../filing/index-coverage.ts';
import type { Accession, Cik, IsoDate, QuarterEnd, Ticker } from '../ids.ts';
import type { IssuerPrices } from '../insider/price.ts';
import { previousQuarterEnd } from '../quarter.ts';
import type { PublishedAt } from '../report/report.ts';
import type { SecurityResolution } from '../security/mapping.ts';
import type { Reading } from './content-id.ts';
import type { HolderFacts } from './holder-facts.ts';

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
  /** None of a security without a CUSIP: its 13F rows cannot be matched. */
  readonly holders: HolderFacts;
  /** Of all their evidence, in the order of its ids. */
  readonly holderReadings: readonly Reading[];
  /** All Forms 4 and 4/A of the issuer that may touch the window, in any order. */
  readonly ownershipFilings: readonly Ownership[];
  /** Those filed in the window that cannot be read, by accession number. */
  readonly unreadForms: readonly Accession[];
  /** What 13F reports imply as prices of the issuer's shares around the window, to check its trades. */
  readonly issuerPrices: IssuerPrices;
  /** By accession, for every filing that may be cited. */
  readonly evidence: ReadonlyMap<Accession, EvidenceSource>;
};

/**
 * Whether briefs read reports of the quarter while `latest` is the latest one: they count managers by that one,
 * and late ones by the one before (rule 7.1). Of an older report a brief says that it is its manager's last one.
 */
export function readsReports(latest: QuarterEnd | null, quarterEnd: QuarterEnd): boolean {
  return latest === null || quarterEnd >= previousQuarterEnd(latest);
}

/** Whether briefs read what filers of the quarter prove: they follow changes of CUSIP to the reports that they read. */
export function readsCorporateActions(latest: QuarterEnd | null, quarterEnd: QuarterEnd): boolean {
  if (latest === null) return true;
  const oldest = previousQuarterEnd(latest);
  return quarterEnd > oldest || quartersFollowed(oldest).includes(quarterEnd);
}
