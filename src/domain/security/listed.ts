import type { Cusip, QuarterEnd } from '../ids.ts';
import { cusipCheckDigitOk } from './cusip.ts';

/** `security`: a share, note, warrant or right; `call` and `put`: the class of an issuer's options. */
export type ListedKind = 'security' | 'call' | 'put';

/** One row of the SEC's Official List of Section 13(f) Securities (rule 3.2). */
export type ListedSecurity = {
  readonly cusip: Cusip;
  readonly kind: ListedKind;
  /** Options of it are listed: the asterisk behind the CUSIP, which is no part of it. */
  readonly hasOptions: boolean;
  readonly issuer: string;
  readonly description: string;
  /** Against the list of the quarter before; null: it stands as it stood. */
  readonly status: 'added' | 'deleted' | null;
};

/** One quarter's list, in its own order; option classes of several funds of a trust share a CUSIP. */
export type SecurityList = {
  readonly quarterEnd: QuarterEnd;
  readonly rows: readonly ListedSecurity[];
};

/**
 * `CALL` and `PUT` and nothing else: `CALL NRGU 45` is a note and `YIEL S& CALL ETF` a fund, while the
 * check digit tells nothing: of 9,206 option rows of 2018Q3 142 pass it (rule 3.2).
 */
export function listedKindOf(description: string): ListedKind {
  const plain = description.trim().toUpperCase();
  if (plain === 'CALL') return 'call';
  return plain === 'PUT' ? 'put' : 'security';
}

/**
 * A CUSIP that only the list can judge: its check digit is wrong, or its issue number is one of those
 * given to option classes (90 to all 4,603 calls and 95 to all 4,603 puts of 2018Q3, and to no share).
 */
export function needsList(cusip: Cusip): boolean {
  return cusip[6] === '9' || !cusipCheckDigitOk(cusip);
}

/** On the real lists none of 8,599 (2018Q3) and 13,107 (2026Q2) securities fails the check digit. */
const MAX_FAILED_PERCENT = 1;

/** False for rows that cannot be a list: securities whose check digits fail come of columns cut wrongly. */
export function isPlausibleList(rows: readonly ListedSecurity[]): boolean {
  const securities = rows.filter(({ kind }) => kind === 'security');
  const failed = securities.filter(({ cusip }) => !cusipCheckDigitOk(cusip)).length;
  return securities.length > 0 && failed * 100 <= securities.length * MAX_FAILED_PERCENT;
}
