import { type IsoDate, isIsoDate } from '../domain/ids.ts';
import { MAX_FIELD_CHARS, ParseError, unreadable } from './parse-error.ts';

const ZERO = 0n;
/** Every number of so many digits is exact as a double. */
const MAX_PLAIN_DIGITS = 15;
/** A group of thousands never begins with a zero: `0,750` has a decimal comma, as `12,50` has. */
const NUMBER = /^(-?)(\d{1,30}|[1-9]\d{0,2}(?:,\d{3}){1,9})(?:\.(\d{0,30}))?$/;
const PLAIN_DECIMAL = /^\d{1,15}(\.\d{1,15})?$/;
const DECIMAL = /^-?(?:(?:\d{1,30}|[1-9]\d{0,2}(?:,\d{3}){1,9})(?:\.\d{0,30})?|\.\d{1,30})$/;

export type Amount = { readonly value: bigint; readonly fractional: boolean };

/**
 * A 13F count or value: digits with optional thousands commas, sign and decimals (rule 1.6).
 * A fraction is rounded half to even. Null for anything else: `1e9`, `NaN`, `(5)`, an empty text.
 */
export function parseAmount(text: string): Amount | null {
  const plain = plainNumber(text);
  if (plain !== null) return { value: plain === 0 ? ZERO : BigInt(plain), fractional: false };
  const match = NUMBER.exec(text.trim());
  if (match === null) return null;
  const [, sign = '', whole = '', decimals = ''] = match;
  const magnitude = BigInt(whole.replaceAll(',', ''));
  const fraction = decimals.replace(/0+$/, '');
  const rounded = magnitude + (roundsUp(magnitude, fraction) ? 1n : 0n);
  return { value: sign === '-' ? -rounded : rounded, fractional: fraction !== '' };
}

/** A number of digits alone, of which a report has five a row; null for any other text. */
function plainNumber(text: string): number | null {
  if (text === '' || text.length > MAX_PLAIN_DIGITS) return null;
  let number = 0;
  for (let at = 0; at < text.length; at += 1) {
    const digit = text.charCodeAt(at) - 0x30;
    if (digit < 0 || digit > 9) return null;
    number = number * 10 + digit;
  }
  return number;
}

function roundsUp(magnitude: bigint, fraction: string): boolean {
  if (fraction === '5') return magnitude % 2n === 1n;
  return fraction !== '' && fraction >= '5';
}

/**
 * A Form 4 amount as an exact decimal string: `$1,234.500` is `1234.500`. Null when absent. Throws
 * `schema_invalid` for text that is not a number, so that it is not taken for a missing one, nor
 * `12,50` for 1250 or `0,750` for 750.
 */
export function decimalOf(element: string, text: string | null): string | null {
  if (text === null) return null;
  if (PLAIN_DECIMAL.test(text)) return text;
  const bare = text.trim().replace(/^\$\s*/, '');
  if (!DECIMAL.test(bare)) throw unreadable(element, text);
  return bare
    .replaceAll(',', '')
    .replace(/^(-?)\./, '$10.')
    .replace(/\.$/, '');
}

/** `1`, `0`, `true`, `false` in any case, `Y`, `N`; null when absent. Throws `schema_invalid`. */
export function flagOf(element: string, text: string | null): boolean | null {
  if (text === null) return null;
  if (text === '1') return true;
  if (text === '0') return false;
  if (/^(?:1|true|y)$/i.test(text)) return true;
  if (/^(?:0|false|n)$/i.test(text)) return false;
  throw unreadable(element, text);
}

/** An XML date without its zone: `2020-01-21-05:00` is that day. Throws `schema_invalid`. */
export function dateOf(element: string, text: string | null): IsoDate | null {
  if (text === null || isIsoDate(text)) return text;
  const day = text.replace(/^(\d{4}-\d{2}-\d{2})(Z|[+-]\d{2}:\d{2}|T.*)$/, '$1');
  if (isIsoDate(day)) return day;
  throw unreadable(element, text);
}

/** The text of an element that holds no prose. Throws `text_too_long` (rule 1.8). */
export function fieldOf(element: string, text: string): string {
  if (text.length <= MAX_FIELD_CHARS) return text;
  throw new ParseError('text_too_long', `${element} has ${text.length} characters`);
}

/** Trims, and joins the lines of a name that the filer broke. */
export function squeeze(text: string): string {
  const trimmed = text.trim();
  return /\s{2}|[\t\r\n]/.test(trimmed) ? trimmed.replace(/\s+/g, ' ') : trimmed;
}

/** A part of a long text refers to the whole text, and would keep 50 MB in memory. */
export function ownCopy(text: string): string {
  return Buffer.from(text).toString();
}
