import type { AmendmentType, OtherManager, TakenIn } from '../filing/filing.ts';
import type { Accession, Cik, Cusip, IsoDate, QuarterEnd } from '../ids.ts';
import type { Reason } from '../quality/quality.ts';

/** New shares for each old one, as a ratio: 4 to 1, or 1 to 8 for a reverse split. */
export type SplitFactor = { readonly numerator: bigint; readonly denominator: bigint };

export const ONE_FOR_ONE: SplitFactor = { numerator: 1n, denominator: 1n };

export function isOneForOne({ numerator, denominator }: SplitFactor): boolean {
  return numerator === denominator;
}

/** The identity of a position inside one report (rule 2.4). */
export type PositionKey = {
  readonly cusip: Cusip;
  readonly putCall: 'PUT' | 'CALL' | null;
  readonly amountType: 'SH' | 'PRN';
};

/** A share position: not an option on shares, not a bond's principal (rule 2.5). */
export function isEquity({ amountType, putCall }: Pick<PositionKey, 'amountType' | 'putCall'>): boolean {
  return amountType === 'SH' && putCall === null;
}

/** Rows of one key summed over other managers, discretion, class titles and name spellings. */
export type Position = PositionKey & {
  readonly issuer: string;
  readonly titleOfClass: string;
  /** Shares, or principal dollars when `amountType` is PRN. */
  readonly amount: bigint;
  readonly valueCents: bigint;
  /** At the scale of the filing date; differs from `valueCents` when the scale was corrected (rule 4.3). */
  readonly filedValueCents: bigint;
  /** The part of `valueCents` from additions in doubt (rule 2.10); left out when there is none. */
  readonly doubtedCents?: bigint;
  /** Filings whose rows are summed here, the newest last. */
  readonly accessions: readonly Accession[];
  readonly rowsUsed: readonly RowsUsed[];
  readonly reasons: readonly Reason[];
};

/** Rows of one filing that a position sums: 1-based, written by {@link rowRanges}. */
export type RowsUsed = { readonly accession: Accession; readonly rows: string };

/** When a fact became public. Precision `day` is never converted to a time. */
export type PublishedAt = { readonly value: string; readonly precision: 'second' | 'day' };

/** One filing that a (manager, quarter) was folded from, in the order of the fold. */
export type ReportFiling = {
  readonly accession: Accession;
  readonly form: string;
  readonly filedDate: IsoDate;
  readonly publishedAt: PublishedAt;
  readonly amendmentType: AmendmentType | null;
  readonly role: 'base' | 'supplement' | 'doubted' | 'superseded' | 'notice' | 'ignored';
  /** The scale that was applied; differs from that of the filing date when it was corrected. */
  readonly scaleCents: bigint;
  /** Scale reasons of a supplement: they concern its own rows. Left out when there are none. */
  readonly scaleReasons?: readonly Reason[];
  /** Why it is not, or hardly, believed (rule 2.9). Left out where it is. */
  readonly doubt?: Reason;
};

/** Whether the rows of the filing are in the report. */
export function isContributing({ role }: Pick<ReportFiling, 'role'>): boolean {
  return role === 'base' || role === 'supplement' || role === 'doubted';
}

export function contributingAccessions({ filings }: Pick<EffectiveReport, 'filings'>): Accession[] {
  return filings.filter(isContributing).map(({ accession }) => accession);
}

/** Whether what the filing adds is in doubt, altogether or in its scale (rule 2.10). */
export function isDoubtedAddition({
  role,
  scaleReasons,
}: Pick<ReportFiling, 'role' | 'scaleReasons'>): boolean {
  return (
    role === 'doubted' || (role === 'supplement' && scaleReasons?.includes('value_unit_unverified') === true)
  );
}

/** Filings that are not believed, whether or not a row of theirs is in the report. */
export function doubtedFilings({ filings }: Pick<EffectiveReport, 'filings'>): ReportFiling[] {
  return filings.filter(({ role }) => role === 'doubted' || role === 'ignored');
}

/** Securities that may have moved between this report and that of another manager; none when it is known that none did. */
export type MovedPositions = {
  readonly cik: Cik;
  readonly name: string;
  readonly cusips: readonly Cusip[];
};

/** What a manager reported for a quarter, folded from all its filings. */
export type EffectiveReport = {
  readonly cik: Cik;
  readonly managerName: string;
  readonly quarterEnd: QuarterEnd;
  /**
   * `holdings`: a table; one without rows means that nothing is held. `notice`: other managers report
   * all holdings. `incomparable`: only supplements were seen.
   */
  readonly state: 'holdings' | 'notice' | 'incomparable';
  readonly reportType: 'holdings' | 'notice' | 'combination';
  readonly filings: readonly ReportFiling[];
  /** The newest contributing filing: it dates the report. */
  readonly newest: ReportFiling;
  readonly isAmended: boolean;
  readonly confidentialOmitted: boolean;
  readonly form13fFileNumber: string | null;
  readonly reportedBy: readonly OtherManager[];
  readonly includes: readonly OtherManager[];
  /** What the base says that it took in from another manager's report; left out where it says nothing. */
  readonly takenIn?: TakenIn;
  /** All keys, options and principal included, sorted by (cusip, putCall, amountType). */
  readonly positions: readonly Position[];
  /**
   * Rows whose CUSIP cannot be right: the issuer as {@link nameKey} writes it, `|`, the CUSIP as filed; no
   * order.
   */
  readonly mistyped: ReadonlySet<string>;
  readonly rowCount: number;
  /** Another manager with the same positions (rule 4.10). */
  readonly identicalTo: Cik | null;
  /** What other managers' reports no longer list, or list now, in its place (rule 4.11). */
  readonly moved: readonly MovedPositions[];
  /** Reasons of the report as a whole. */
  readonly reasons: readonly Reason[];
};

export type ChangeType = 'NEW' | 'ADDED' | 'REDUCED' | 'EXITED' | 'HELD';

/** How a prior amount was made comparable: by a confirmed split, a CUSIP change, both, or what was taken in (rule 2.12). */
export type Restatement = {
  /** New shares for each old one. */
  readonly factor: SplitFactor;
  /** The CUSIP that the prior report names; null when it is the same. */
  readonly fromCusip: Cusip | null;
  /** The prior amount as filed. */
  readonly filedPriorAmount: bigint;
};

/**
 * One key of the union of two adjacent quarters. For EXITED, amount and value are 0. `rowsUsed` are those
 * of the current report, then of the prior one; a report without the key adds none.
 */
export type PositionChange = Omit<Position, 'doubtedCents'> & {
  readonly change: ChangeType;
  /** As restated by `restated`. */
  readonly priorAmount: bigint;
  readonly priorValueCents: bigint;
  readonly restated: Restatement | null;
  readonly amountDelta: bigint;
  /** Percent, 4 decimals half-even; NEW 100, EXITED -100, HELD 0 (rule 5.2). */
  readonly pctDelta: number;
  readonly priorAccessions: readonly Accession[];
};

/** A report with its changes against the adjacent calendar quarter. */
export type ReportChanges = {
  readonly report: EffectiveReport;
  readonly priorQuarterEnd: QuarterEnd;
  /** Filings of the prior report that are not believed: its doubts come from them. */
  readonly priorDoubted: readonly ReportFiling[];
  /** When false, every current key is NEW with `no_prior_comparable_filing` and nothing is EXITED. */
  readonly comparable: boolean;
  /** Why the two are not comparable, or what limits the comparison. */
  readonly reasons: readonly Reason[];
  /** Sorted by (cusip, putCall, amountType). */
  readonly changes: readonly PositionChange[];
};
