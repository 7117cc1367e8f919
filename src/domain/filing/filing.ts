import type { Accession, Cik, Cusip, IsoDate, QuarterEnd } from '../ids.ts';
import type { Reason } from '../quality/quality.ts';
import { parseQuarterEnd } from '../quarter.ts';

/** The SGML header of a full submission. Times are UTC, converted from Eastern (rule 1.4). */
export type FilingHeader = {
  readonly accession: Accession;
  /** CONFORMED SUBMISSION TYPE, e.g. `13F-HR/A`. */
  readonly form: string;
  /** FILED AS OF DATE, used by all rules that depend on the filing date. */
  readonly filedDate: IsoDate;
  /** ACCEPTANCE-DATETIME as ISO 8601 UTC with seconds; null when the header has none. */
  readonly acceptedAt: string | null;
  readonly periodOfReport: IsoDate | null;
  readonly filers: readonly FilingParty[];
  /** Set where the bytes are not in the encoding that the XML declares: names were read in windows-1252 (rule 1.6). */
  readonly encodingGuessed?: true;
};

export type FilingParty = {
  readonly role: 'filer' | 'issuer' | 'reporting_owner' | 'filed_by' | 'subject_company' | 'other';
  readonly cik: Cik;
  readonly name: string;
  readonly fileNumber: string | null;
};

export type RowReason =
  | 'cusip_malformed'
  | 'cusip_checksum_failed'
  | 'amount_fractional'
  | 'amount_negative'
  | 'text_value_unsure';

/** One `infoTable` entry as filed. The value is at the filing's own scale: thousands or dollars. */
export type InfoTableRow = {
  /** 1-based position in the table as filed. */
  readonly row: number;
  readonly issuer: string;
  readonly titleOfClass: string;
  readonly cusipAsFiled: string;
  /** Null when it cannot be a CUSIP; the row is kept and flagged. */
  readonly cusip: Cusip | null;
  readonly value: bigint;
  readonly amount: bigint;
  readonly amountType: 'SH' | 'PRN';
  readonly putCall: 'PUT' | 'CALL' | null;
  /** What the official list says of the CUSIP; left out of a row as filed, and where it says nothing. */
  readonly optionClass?: 'PUT' | 'CALL';
  readonly discretion: string;
  readonly otherManagers: string;
  readonly votingSole: bigint;
  readonly votingShared: bigint;
  readonly votingNone: bigint;
  readonly reasons: readonly RowReason[];
};

export type OtherManager = {
  readonly name: string;
  readonly cik: Cik | null;
  readonly form13fFileNumber: string | null;
  /** Number in the list of the summary page; null in the list of the cover page. */
  readonly sequence: number | null;
};

/** Positions that a report says it holds now, and another manager's report held before (rule 2.12). */
export type TakenIn = {
  readonly from: OtherManager;
  readonly positions: readonly { readonly cusip: Cusip; readonly amount: bigint }[];
};

export type AmendmentType = 'restatement' | 'new_holdings';

/** Why an amendment discloses positions that were confidential before (Form 13F, amendment information). */
export type ConfidentialReveal = {
  readonly reason: 'denied' | 'expired' | null;
  readonly dateDeniedOrExpired: IsoDate | null;
  /** When the report that omitted the positions was filed. */
  readonly dateReported: IsoDate | null;
};

/** Raised when Form 13F may be read otherwise: what is read by an equal one is never read again. */
export const PARSER_OF_13F = '13f-3';

/** A parsed 13F-HR, 13F-HR/A, 13F-NT or 13F-NT/A. */
export type ThirteenF = {
  readonly kind: 'thirteen_f';
  readonly header: FilingHeader;
  readonly cik: Cik;
  /** The conformed name of the header; without one, the name on the cover page. */
  readonly managerName: string;
  readonly reportType: 'holdings' | 'notice' | 'combination';
  readonly quarterEnd: QuarterEnd;
  readonly isAmendment: boolean;
  readonly amendmentNumber: number | null;
  /** Null on an original, and on an amendment that does not state it. */
  readonly amendmentType: AmendmentType | null;
  readonly confidentialOmitted: boolean | null;
  /** Set on an amendment with rows that were confidential before (rule 2.13). */
  readonly confidentialReveal: ConfidentialReveal | null;
  readonly form13fFileNumber: string | null;
  /** Cover page: managers that report for this one (rule 2.12). */
  readonly reportedBy: readonly OtherManager[];
  /** Summary page: managers whose holdings are in this report. */
  readonly includes: readonly OtherManager[];
  /** Left out where the cover does not say it. */
  readonly takenIn?: TakenIn;
  readonly declaredEntryTotal: number | null;
  /** At the filing's own scale. */
  readonly declaredValueTotal: bigint | null;
  readonly schemaVersion: string | null;
  /** How reliably a text table was read; null for XML. */
  readonly textConfidence: TextConfidence | null;
  readonly rows: readonly InfoTableRow[];
};

/**
 * Of a text table (before 2013). High: row count and sum of values are those that the filing declares.
 * Medium: the sum is, but the count is not or is not declared. Low: the sum is not, or is not declared (rule
 * 2.14).
 */
export type TextConfidence = 'high' | 'medium' | 'low';

export type ReportingOwner = {
  readonly cik: Cik;
  readonly name: string;
  readonly isDirector: boolean;
  readonly isOfficer: boolean;
  readonly isTenPercentOwner: boolean;
  readonly isOther: boolean;
  readonly officerTitle: string | null;
};

/** One row of table I or II. Decimal amounts stay exact decimal strings. */
export type OwnershipRow = {
  /** 1-based among all rows of its table, holdings included (rule 6.1). */
  readonly row: number;
  readonly table: 'non_derivative' | 'derivative';
  readonly rowKind: 'transaction' | 'holding';
  readonly securityTitle: string;
  readonly transactionDate: IsoDate | null;
  readonly deemedExecutionDate: IsoDate | null;
  /** One letter: P, S, A, M, F, G…; null on holdings. */
  readonly code: string | null;
  readonly equitySwap: boolean;
  /** Decimal string; null when absent. */
  readonly shares: string | null;
  /** Decimal string, `"0"` included; null when missing or only footnoted. */
  readonly pricePerShare: string | null;
  readonly acquiredDisposed: 'A' | 'D' | null;
  readonly sharesOwnedAfter: string | null;
  readonly ownership: 'direct' | 'indirect' | null;
  readonly natureOfOwnership: string | null;
  /** Derivative rows only. */
  readonly underlyingTitle: string | null;
  readonly underlyingShares: string | null;
  readonly conversionOrExercisePrice: string | null;
  readonly exerciseDate: IsoDate | null;
  readonly expirationDate: IsoDate | null;
  /** Footnote ids by the element that has them, e.g. `{ transactionPricePerShare: ['F1'] }`. */
  readonly footnoteIds: Readonly<Record<string, readonly string[]>>;
  /** What could not be read, and is null: `transactionCode is missing`. The row is unusable then (rule 6.1). */
  readonly unreadable?: readonly string[];
};

/** A parsed ownership document: Form 4 or 4/A. Forms 3 and 5 are the same XML. */
export type Ownership = {
  readonly kind: 'ownership';
  readonly header: FilingHeader;
  readonly isAmendment: boolean;
  readonly schemaVersion: string | null;
  /** `symbol` is free text as filed: `NONE`, `N/A`, `NYSE: X`, lower case. */
  readonly issuer: { readonly cik: Cik; readonly name: string; readonly symbol: string };
  readonly periodOfReport: IsoDate | null;
  readonly dateOfOriginalSubmission: IsoDate | null;
  /** The form's own element, absent before 2023-04; never read from footnotes. */
  readonly is10b51: boolean | null;
  readonly notSubjectToSection16: boolean | null;
  readonly owners: readonly ReportingOwner[];
  readonly rows: readonly OwnershipRow[];
  readonly footnotes: readonly { readonly id: string; readonly text: string }[];
  readonly remarks: string;
};

export type ParsedFiling = ThirteenF | Ownership;

/** What a filing is about as far as its header says; null for what it does not say. */
export type Subject = {
  readonly issuerCik: Cik | null;
  readonly reportingOwnerCiks: readonly Cik[];
  readonly quarterEnd: QuarterEnd | null;
};

/** The part of a brief that a form's filings count in, and whose coverage they are. */
export type Leg = 'thirteen_f' | 'form4';

/**
 * What has to be computed again after a filing: the report of its quarter, the trades of its issuer,
 * or the briefs of the issuer's tickers.
 */
export type Follower = 'report' | 'insider' | 'brief';

/** A 13F without its rows, and what this filing alone amounts to. */
export type ThirteenFContent = Omit<ThirteenF, 'rows'> & {
  /** Equity positions and their value. */
  readonly holdingsCount: number;
  readonly valueCents: bigint;
  readonly reasons: readonly Reason[];
};

/** The content of a parsed filing, by the kind of document. */
export type FilingContent = ThirteenFContent | Ownership;

/** What is stored of a parsed filing, the same for every form. */
export type StoredFiling = {
  /** The CIK in the archive path: the filer of a 13F, the issuer of an ownership document. */
  readonly cik: Cik;
  readonly company: string;
  readonly issuer: Ownership['issuer'] | null;
  readonly reportingOwnerCiks: readonly Cik[];
  readonly content: FilingContent;
  /** An information table, stored in pages of its own; null for a form without one. */
  readonly rows: readonly InfoTableRow[] | null;
};

export function subjectOf({ filers, periodOfReport }: FilingHeader): Subject {
  return {
    issuerCik: filers.find(({ role }) => role === 'issuer')?.cik ?? null,
    reportingOwnerCiks: filers.flatMap(({ role, cik }) => (role === 'reporting_owner' ? [cik] : [])),
    quarterEnd: parseQuarterEnd(periodOfReport ?? ''),
  };
}

/**
 * `source_url`: the directory of the filing in EDGAR's archive, for programs (`index.json` is in it).
 * The path has the CIK without leading zeros (EDGAR redirects a padded one) and the accession without
 * dashes. Always EDGAR's own host, wherever the bytes came from, so that ids agree between machines.
 */
export function sourceUrl(cik: Cik, accession: Accession): string {
  return `https://www.sec.gov/Archives/edgar/data/${Number(cik)}/${accession.replaceAll('-', '')}/`;
}

/** `human_url`: the index page of the filing, for people. */
export function humanUrl(cik: Cik, accession: Accession): string {
  return `${sourceUrl(cik, accession)}${accession}-index.htm`;
}

/** The full submission text, the one document that is fetched. */
export function submissionTextUrl(cik: Cik, accession: Accession): string {
  return `${sourceUrl(cik, accession)}${accession}.txt`;
}
