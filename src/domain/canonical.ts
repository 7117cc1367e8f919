import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';

/**
 * Canonical JSON (RFC 8785): keys sorted by UTF-16 code unit, ECMAScript numbers, no blanks.
 * Throws on everything that JSON would lose: bigint, undefined, NaN, infinity, functions, symbols,
 * lone surrogates, and objects that are not plain (a Map would become `{}`).
 *
 * RFC 8785 prints numbers and strings as ECMAScript does. So JSON.stringify over a copy with sorted keys
 * gives the same text as `canonicalize`, at a third of the cost. The library handles the rest: keys that
 * the engine reorders, and strings with escaped surrogates (it rejects lone ones).
 */
export function canonicalJson(value: unknown): string {
  const unordered: string[] = [];
  const copy = sortedCopy(value, '$', unordered);
  const text = JSON.stringify(copy);
  const isExact = unordered.length === 0 && !text.includes('\\ud');
  return isExact ? text : (canonicalize(value) ?? text);
}

/** Lower-case hex of the SHA-256 of the bytes; of text, of its UTF-8. */
export function sha256Hex(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** Engines enumerate integer keys by number, and assigning `__proto__` sets the prototype. */
const UNORDERED_KEY = /^(?:\d+|__proto__)$/;

function sortedCopy(value: unknown, path: string, unordered: string[]): Json {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (Array.isArray(value)) return value.map((item) => sortedCopy(item, path, unordered));
  if (!isPlainObject(value)) throw new TypeError(`Not plain JSON under ${path}: ${typeof value}`);
  const copy: { [key: string]: Json } = {};
  for (const key of Object.keys(value).sort()) {
    if (UNORDERED_KEY.test(key)) unordered.push(key);
    copy[key] = sortedCopy(value[key], key, unordered);
  }
  return copy;
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
