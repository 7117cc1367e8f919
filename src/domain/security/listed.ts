import type { Cusip, QuarterEnd } from '../ids.ts';
import { MAX_FAILED_PERCENT } from './thresholds.ts';

const ZERO = 48;
const LETTER_A = 65;

const SPECIAL: ReadonlyMap<number, number> = new Map([
  [42, 36],
  [64, 37],
  [35, 38],
]);

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

/**
 * True when the ninth character is the mod-10 double-add-double digit of the first eight.
 * A is 10 … Z is 35, `*` 36, `@` 37, `#` 38; every second value is doubled (rule 3.1).
 * On the official list of 13(f) securities every CUSIP that is not an option passes, and most option
 * classes fail.
 */
export function cusipCheckDigitOk(cusip: Cusip): boolean {
  let sum = 0;
  for (let position = 0; position < 8; position += 1) {
    const value = characterValue(cusip.charCodeAt(position)) * (1 + (position % 2));
    sum += Math.floor(value / 10) + (value % 10);
  }
  return (10 - (sum % 10)) % 10 === cusip.charCodeAt(8) - ZERO;
}

function characterValue(code: number): number {
  if (code < 58 && code >= ZERO) return code - ZERO;
  return SPECIAL.get(code) ?? code - LETTER_A + 10;
}
