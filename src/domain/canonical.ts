import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';

/**
 * Canonical JSON (RFC 8785): keys sorted by UTF-16 code unit, ECMAScript numbers, no blanks.
 * Throws a TypeError on everything that JSON cannot carry without loss: bigint, undefined, NaN,
 * infinity, functions, symbols, and objects that are not plain (a Map would silently become `{}`).
 */
export function canonicalJson(value: unknown): string {
  assertPlain(value, '$');
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError('Nothing to canonicalize');
  return text;
}

/** Lower-case hex of the SHA-256 of the UTF-8 bytes. */
export function sha256Hex(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

function assertPlain(value: unknown, path: string): void {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return;
  if (typeof value === 'number' && Number.isFinite(value)) return;
  if (Array.isArray(value)) {
    for (const item of value) assertPlain(item, path);
    return;
  }
  if (!isPlainObject(value)) throw new TypeError(`Not plain JSON under ${path}: ${typeof value}`);
  for (const key of Object.keys(value)) assertPlain(value[key], key);
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
