import type { Accession, Cik, Cusip, IsoDate, QuarterEnd } from '../ids.ts';
import type { Reason } from '../quality/quality.ts';

/**
 * One manager's equity position (SH, no option) as filed: the share count as it is, and the value in
 * the scale of the filing date (`valueScaleCents`), never in a corrected one. So what is concluded
 * from positions never enters them again.
 */
export type FiledPosition = {
  readonly cik: Cik;
  /** The issuer's name as the report spells it. */
  readonly issuer: string;
  readonly amount: bigint;
  readonly valueCents: bigint;
  /** The filing that all rows of the position come from; null when several filings are summed in it. */
  readonly accession: Accession | null;
  readonly reasons: readonly Reason[];
};

/**
 * One security's positions at the ends of a quarter, of the one before and of the one after. The last
 * serves only where a price is missing, and may always be empty. At most one position of a manager
 * in each; any order.
 */
export type FiledSecurity = {
  readonly cusip: Cusip;
  readonly prior: readonly FiledPosition[];
  readonly current: readonly FiledPosition[];
  readonly next: readonly FiledPosition[];
};

/** A report without its positions. */
export type FiledReport = {
  readonly cik: Cik;
  /** The filings that its positions come from (base and supplements); none for a notice. */
  readonly filings: readonly { readonly accession: Accession; readonly filedDate: IsoDate }[];
  /**
   * Whether the table can be compared with another quarter's: it lists holdings, and its shares are
   * known (no `shares_equal_value`). Absence from any other report proves nothing.
   */
  readonly isComparable: boolean;
};

/** The reports of three adjacent quarters, notices included: at most one of a manager in each; any order. */
export type FiledReports = {
  readonly quarterEnd: QuarterEnd;
  readonly prior: readonly FiledReport[];
  readonly current: readonly FiledReport[];
  readonly next: readonly FiledReport[];
  /** Managers that filed any 13F for a quarter before `prior`, notices included. */
  readonly earlierFilers: ReadonlySet<Cik>;
};

/** Managers whose reports can be compared with those of another quarter. */
export function comparableManagers(reports: readonly FiledReport[]): Cik[] {
  return reports.filter(({ isComparable }) => isComparable).map(({ cik }) => cik);
}
