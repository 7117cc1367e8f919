/**
 * Branded identifiers. `is…` validates and never transforms. `parse…` is the tolerant reader (pads,
 * upper-cases, strips) and returns null when it cannot read the text. `require…` is for constants.
 */
declare const brand: unique symbol;
type Brand<T, Name extends string> = T & { readonly [brand]: Readonly<Record<Name, true>> };

/** SEC Central Index Key, always ten digits: `0001067983`. */
export type Cik = Brand<string, 'Cik'>;
/** Nine characters, upper case: `037833100`. The check digit may be wrong; see `security/listed.ts`. */
export type Cusip = Brand<string, 'Cusip'>;
/** SEC accession number with dashes: `0000950123-18-011885`. */
export type Accession = Brand<string, 'Accession'>;
/** Exchange ticker, upper case with a dot before the class: `BRK.B`. */
export type Ticker = Brand<string, 'Ticker'>;
/** Calendar day `YYYY-MM-DD`. */
export type IsoDate = Brand<string, 'IsoDate'>;
/** The last day of a calendar quarter: `2018-09-30`. */
export type QuarterEnd = Brand<string, 'QuarterEnd'> & IsoDate;

const CIK = /^\d{10}$/;
const ACCESSION = /^\d{10}-\d{2}-\d{6}$/;
const CUSIP = /^[0-9A-Z*@#]{9}$/;
const TICKER_REQUEST = /^[A-Z][A-Z0-9]{0,5}([./-][A-Z0-9]{1,3})?$/;
const DASH = 0x2d;

export function isCik(text: string): text is Cik {
  return CIK.test(text);
}

/** One to ten digits, as EDGAR prints them: `1067983` becomes `0001067983`. */
export function parseCik(text: string): Cik | null {
  if (isCik(text)) return text;
  const trimmed = text.trim();
  return /^\d{1,10}$/.test(trimmed) ? (trimmed.padStart(10, '0') as Cik) : null;
}

export function requireCik(text: string): Cik {
  return required(text, isCik);
}

export function isAccession(text: string): text is Accession {
  return ACCESSION.test(text);
}

/** With or without dashes. */
export function parseAccession(text: string): Accession | null {
  const trimmed = text.trim();
  if (isAccession(trimmed)) return trimmed;
  const digits = /^(\d{10})(\d{2})(\d{6})$/.exec(trimmed);
  return digits ? (`${digits[1]}-${digits[2]}-${digits[3]}` as Accession) : null;
}

export function isCusip(text: string): text is Cusip {
  return CUSIP.test(text);
}

/**
 * Strips blanks, upper-cases and left-pads to nine (spreadsheets drop leading zeros; rule 3.1).
 * Null when the text is empty, longer than nine or has other characters.
 */
export function parseCusip(text: string): Cusip | null {
  const stripped = text.replace(/\s/g, '').toUpperCase();
  if (stripped === '') return null;
  const padded = stripped.padStart(9, '0');
  return isCusip(padded) ? padded : null;
}

export function requireCusip(text: string): Cusip {
  return required(text, isCusip);
}

export function isTicker(text: string): text is Ticker {
  return /^[A-Z][A-Z0-9]{0,5}(\.[A-Z0-9]{1,3})?$/.test(text);
}

/** `brk-b`, `BRK/B` and `BRK.B` all become `BRK.B` (rule 3.3). Null when malformed. */
export function parseTicker(text: string): Ticker | null {
  const upper = text.trim().toUpperCase();
  return TICKER_REQUEST.test(upper) ? (upper.replace(/[/-]/, '.') as Ticker) : null;
}

/** The six characters that identify the issuer: the CUSIPs of all its securities begin with them. */
export function issuerOf(cusip: Cusip): string {
  return cusip.slice(0, 6);
}

/** Whether {@link issuerOf} both is the same. Compares characters: a report has thousands of neighbours. */
export function isOneIssuer(a: Cusip, b: Cusip): boolean {
  for (let at = 0; at < 6; at += 1) if (a.charCodeAt(at) !== b.charCodeAt(at)) return false;
  return true;
}

/** A real calendar day; 30 February is not one. By characters: an ownership document has dozens. */
export function isIsoDate(text: string): text is IsoDate {
  if (text.length !== 10 || text.charCodeAt(4) !== DASH || text.charCodeAt(7) !== DASH) return false;
  const year = digitsAt(text, 0, 4);
  const month = digitsAt(text, 5, 7);
  const day = digitsAt(text, 8, 10);
  return year >= 0 && month >= 1 && month <= 12 && day >= 1 && day <= daysOf(year, month);
}

/** The number of the digits from `from` up to `to`; -1 when one of them is no digit. */
function digitsAt(text: string, from: number, to: number): number {
  let number = 0;
  for (let at = from; at < to; at += 1) {
    const digit = text.charCodeAt(at) - 0x30;
    if (!(digit >= 0 && digit <= 9)) return -1;
    number = number * 10 + digit;
  }
  return number;
}

function daysOf(year: number, month: number): number {
  if (month !== 2) return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return isLeap ? 29 : 28;
}

/** `2018-11-14`, or `20181114` as EDGAR prints days in headers, indexes and file names. */
export function parseIsoDate(text: string): IsoDate | null {
  const trimmed = text.trim();
  const isCompact = /^\d{8}$/.test(trimmed);
  const iso = isCompact ? `${trimmed.slice(0, 4)}-${trimmed.slice(4, 6)}-${trimmed.slice(6)}` : trimmed;
  return isIsoDate(iso) ? iso : null;
}

export function requireIsoDate(text: string): IsoDate {
  return required(text, isIsoDate);
}

function required<T extends string>(text: string, isValid: (text: string) => text is T): T {
  if (!isValid(text)) throw new TypeError(`not a valid identifier: ${text}`);
  return text;
}

export function evidenceIdOf13f(accession: Accession): string {
  return `sec:13f:${accession}`;
}

export function evidenceIdOfForm4(accession: Accession): string {
  return `sec:form4:${accession}`;
}
