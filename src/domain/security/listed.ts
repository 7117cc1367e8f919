import type { Cusip, QuarterEnd } from '../ids.ts';
import { cusipCheckDigitOk } from './cusip.ts';
import { MAX_FAILED_PERCENT } from './thresholds.ts';

/** One row of the SEC's Official List of Section 13(f) Securities (rule 3.2). */
export type ListedSecurity = {
  readonly cusip: Cusip;
  /** `security` is a share, note, warrant or right; `call` and `put` are an issuer's option classes. */
  readonly kind: 'security' | 'call' | 'put';
  /** Options on it are listed (the asterisk after the CUSIP). */
  readonly hasOptions: boolean;
  readonly issuer: string;
  readonly description: string;
  /** Compared with the list of the quarter before; null when unchanged. */
  readonly status: 'added' | 'deleted' | null;
};

/** One quarter's list, in its own order. Option classes of several funds of a trust share a CUSIP. */
export type SecurityList = {
  readonly quarterEnd: QuarterEnd;
  readonly rows: readonly ListedSecurity[];
};

/**
 * Only exactly `CALL` and `PUT` are options: `CALL NRGU 45` is a note, `YIEL S& CALL ETF` a fund. The
 * check digit does not decide: 142 of 9,206 option rows of 2018Q3 pass it (rule 3.2).
 */
export function listedKindOf(description: string): ListedSecurity['kind'] {
  const plain = description.trim().toUpperCase();
  if (plain === 'CALL') return 'call';
  return plain === 'PUT' ? 'put' : 'security';
}

/**
 * Whether only the list can judge the CUSIP: its check digit is wrong, or its issue number is that of an
 * option class. In 2018Q3 all 4,603 calls have 90, all 4,603 puts have 95, and no share has either.
 */
export function needsList(cusip: Cusip): boolean {
  return cusip[6] === '9' || !cusipCheckDigitOk(cusip);
}

/** False for rows that cannot be a list: wrong check digits mean that columns were split wrongly. */
export function isPlausibleList(rows: readonly ListedSecurity[]): boolean {
  const securities = rows.filter(({ kind }) => kind === 'security');
  const failed = securities.filter(({ cusip }) => !cusipCheckDigitOk(cusip)).length;
  return securities.length > 0 && failed * 100 <= securities.length * MAX_FAILED_PERCENT;
}
