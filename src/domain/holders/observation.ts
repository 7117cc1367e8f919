import type { Accession, Cik, QuarterEnd } from '../ids.ts';
import type { CorporateAction } from '../peers/verdict.ts';
import type { Reason } from '../quality/quality.ts';
import type { PublishedAt, Restatement, RowsUsed } from '../report/report.ts';

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
  /** The report's filings first, then the prior report's; supplements included (rule 8.6). */
  readonly accessions: readonly Accession[];
  /** Rows behind the amounts, in either report. */
  readonly rowsUsed: readonly RowsUsed[];
  readonly amendment: { readonly isAmendment: boolean; readonly amendmentType: string | null };
  readonly restated: Restatement | null;
  /** What the filers say together of this security in this quarter; one list for all observations. */
  readonly corporateActions: readonly CorporateAction[];
  readonly reasons: readonly Reason[];
};
