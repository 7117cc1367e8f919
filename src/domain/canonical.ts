import { hash } from 'node:crypto';

/**
 * Canonical JSON (RFC 8785): keys sorted by UTF-16 code unit, ECMAScript numbers, no blanks.
 * Throws TypeError on everything that JSON would lose: bigint, undefined, NaN, infinity, functions, symbols,
 * lone surrogates, and objects that are not plain (a Map would become `{}`).
 */
export function canonicalJson(value: unknown): string {
  if (typeof value === 'string') return quoted(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (isPlainObject(value)) {
    const members = Object.keys(value)
      .sort()
      .map((key) => `${quoted(key)}:${canonicalJson(value[key])}`);
    return `{${members.join(',')}}`;
  }
  if (value === null || typeof value === 'boolean' || Number.isFinite(value)) return String(value);
  throw new TypeError(`Not plain JSON: ${typeof value}`);
}

/** Lower-case hex of the SHA-256 of the bytes; of text, of its UTF-8. */
export function sha256Hex(content: string | Uint8Array): string {
  return hash('sha256', content, 'hex');
}

/** Printable ASCII without quotation mark and backslash: most strings are their own text. */
const PLAIN = /^[ !#-[\]-~]*$/;
const LONE_SURROGATE = /\p{Surrogate}/u;

/** RFC 8785 escapes as ECMAScript does. */
function quoted(text: string): string {
  if (PLAIN.test(text)) return `"${text}"`;
  if (LONE_SURROGATE.test(text)) throw new TypeError('Not JSON: a lone surrogate');
  return JSON.stringify(text);
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
