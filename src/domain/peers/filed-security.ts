import type { Accession, Cik, Cusip, IsoDate, QuarterEnd } from '../ids.ts';
import type { Reason } from '../quality/quality.ts';

/**
 * One manager's equity position (SH, no option) as filed: the share count as it stands, the value
 * with the unit of the filing date (`valueScaleCents`), never with a corrected one. So what is
 * concluded from positions never enters them again.
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
 * One security's positions at three quarter ends: of the quarter looked at, the one before, and the
 * one after. The last serves only where a price is missing and may always be empty. At most one
 * position of a manager in each; any order.
 */
export type FiledSecurity = {
  readonly cusip: Cusip;
  readonly prior: readonly FiledPosition[];
  readonly current: readonly FiledPosition[];
  readonly next: readonly FiledPosition[];
};

/** What is known of a report without its positions. */
export type FiledReport = {
  readonly cik: Cik;
  /** The filings that its positions come from (base and supplements); none for a notice. */
  readonly filings: readonly { readonly accession: Accession; readonly filedDate: IsoDate }[];
  /**
   * A table that can be compared with another quarter's: `holdings`, and its shares are known
   * (no `shares_equal_value`). An absence from any other report proves nothing.
   */
  readonly isComparable: boolean;
};

/** The reports of three adjacent quarters, notices included: one of a manager in each; any order. */
export type FiledReports = {
  readonly quarterEnd: QuarterEnd;
  readonly prior: readonly FiledReport[];
  readonly current: readonly FiledReport[];
  readonly next: readonly FiledReport[];
  /** Managers that filed any 13F, notices too, for a quarter before `prior`. */
  readonly earlierFilers: ReadonlySet<Cik>;
};
