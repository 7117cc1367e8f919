import type { Cik } from '../ids.ts';
import type { Reason } from '../quality/quality.ts';
import type { InfoTableRow, Ownership, ThirteenF } from './filing.ts';

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
