import type { AmendmentType, OtherManager } from '../filing/filing.ts';
import type { Accession, Cik, Cusip, IsoDate, QuarterEnd } from '../ids.ts';
import type { Reason } from '../quality/quality.ts';
import type { SplitFactor } from './split-factor.ts';

/** The identity of a position inside one report (rule 2.4). */
export type PositionKey = {
  readonly cusip: Cusip;
  readonly putCall: 'PUT' | 'CALL' | null;
  readonly unit: 'SH' | 'PRN';
};

/** Rows of one key summed over other managers, discretion, class titles and name spellings. */
export type Position = PositionKey & {
  readonly issuer: string;
  readonly titleOfClass: string;
  /** Shares, or principal dollars when `unit` is PRN. */
  readonly amount: bigint;
  readonly valueCents: bigint;
  /** In the unit of the filing date: other than `valueCents` where the unit was corrected (rule 4.3). */
  readonly filedValueCents: bigint;
  /** How much of `valueCents` is from additions whose unit nothing confirms; left out where nothing is. */
  readonly doubtedCents?: bigint;
  /** Filings whose rows are summed here, the newest last. */
  readonly accessions: readonly Accession[];
  readonly rowsUsed: readonly RowsUsed[];
  readonly reasons: readonly Reason[];
};

/** The rows of one filing that a position is the sum of: 1-based, as {@link rowRanges} writes them. */
export type RowsUsed = { readonly accession: Accession; readonly rows: string };

/** When a fact became public. `day` precision is never turned into a time. */
export type PublishedAt = { readonly value: string; readonly precision: 'second' | 'day' };

/** One filing that a (manager, quarter) was folded from, in the order of the fold. */
export type ReportFiling = {
  readonly accession: Accession;
  readonly form: string;
  readonly filedDate: IsoDate;
  readonly publishedAt: PublishedAt;
  readonly amendmentType: AmendmentType | null;
  readonly role: 'base' | 'supplement' | 'superseded' | 'notice' | 'ignored';
  /** Cents that one unit of its values was taken for; not that of the filing date when it was corrected. */
  readonly scaleCents: bigint;
  /** Of a supplement, where there is something to tell of its unit: it is of its rows, not of the report's others. */
  readonly unitReasons?: readonly Reason[];
};

/** Whether the rows of the filing are in the report. */
export function isContributing({ role }: Pick<ReportFiling, 'role'>): boolean {
  return role === 'base' || role === 'supplement';
}

export function contributingAccessions({ filings }: Pick<EffectiveReport, 'filings'>): Accession[] {
  return filings.filter(isContributing).map(({ accession }) => accession);
}

/** What a manager reported for a quarter, over all its filings: the result of the pure fold. */
export type EffectiveReport = {
  readonly cik: Cik;
  readonly managerName: string;
  readonly quarterEnd: QuarterEnd;
  /**
   * `holdings`: a table, possibly with no rows, which means that nothing is held.
   * `notice`: all holdings are reported by others. `incomparable`: only supplements were seen.
   */
  readonly state: 'holdings' | 'notice' | 'incomparable';
  readonly reportType: 'holdings' | 'notice' | 'combination';
  readonly filings: readonly ReportFiling[];
  /** The filing that the report as a whole is dated by: the newest that contributes. */
  readonly newest: ReportFiling;
  readonly isAmended: boolean;
  readonly confidentialOmitted: boolean;
  readonly reportedBy: readonly OtherManager[];
  readonly includes: readonly OtherManager[];
  /** All keys, options and principal too, sorted by (cusip, putCall, unit). */
  readonly positions: readonly Position[];
  /** Rows whose CUSIP cannot be right: the issuer as {@link issuerKey} writes it, `|`, the CUSIP as filed; no order. */
  readonly mistyped: ReadonlySet<string>;
  readonly rowCount: number;
  /** Another manager with the very same book (rule 4.10). */
  readonly identicalTo: Cik | null;
  /** The manager whose book this one took over, as the books themselves show (rule 4.10). */
  readonly predecessor: Cik | null;
  /** Reasons of the report as a whole. */
  readonly reasons: readonly Reason[];
};

export type ChangeType = 'NEW' | 'ADDED' | 'REDUCED' | 'EXITED' | 'HELD';

/** How a prior amount was made comparable: by a confirmed split, a change of CUSIP, or both. */
export type Restatement = {
  /** New shares for each old one. */
  readonly factor: SplitFactor;
  /** The CUSIP that the prior report names; null when it is the same. */
  readonly fromCusip: Cusip | null;
  /** The prior amount as filed. */
  readonly filedPriorAmount: bigint;
};

/** One key of the union of two adjacent quarters. Exited: amount and value are 0. */
export type PositionChange = PositionKey & {
  readonly issuer: string;
  readonly titleOfClass: string;
  readonly change: ChangeType;
  readonly amount: bigint;
  readonly valueCents: bigint;
  readonly filedValueCents: bigint;
  /** Restated where `restated` says so. */
  readonly priorAmount: bigint;
  readonly priorValueCents: bigint;
  readonly restated: Restatement | null;
  readonly amountDelta: bigint;
  /** Percent, 4 decimals half-even; NEW 100, EXITED -100, HELD 0 (rule 5.2). */
  readonly pctDelta: number;
  readonly accessions: readonly Accession[];
  readonly priorAccessions: readonly Accession[];
  /** Of the current report, then of the prior one; empty for a report that proves an absence. */
  readonly rowsUsed: readonly RowsUsed[];
  readonly reasons: readonly Reason[];
};

/** A report with its changes against the adjacent calendar quarter. */
export type ReportChanges = {
  readonly report: EffectiveReport;
  readonly priorQuarterEnd: QuarterEnd;
  /** False: every current key is NEW with `no_prior_comparable_filing`, and nothing is exited. */
  readonly comparable: boolean;
  /** Why not, or what limits it. */
  readonly reasons: readonly Reason[];
  /** Sorted by (cusip, putCall, unit). */
  readonly changes: readonly PositionChange[];
};
