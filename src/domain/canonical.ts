import { hash } from 'node:crypto';

/**
 * Canonical JSON (RFC 8785): keys sorted by UTF-16 code unit, ECMAScript numbers, no blanks.
 * Throws TypeError on everything that JSON would lose: bigint, undefined, NaN, infinity, functions, symbols,
 * lone surrogates, and objects that are not plain (a Map would become `{}`).
 */
export function canonicalJson(value: unknown): string {
  return canonicalWriter()(value);
}

/** Writes a value as {@link canonicalJson} does. */
export type CanonicalWriter = (value: unknown) => string;

/**
 * A writer for several texts over parts of one value: it remembers the text of each array that it has
 * written, and the order of the keys of like objects. What it has written must not change while it is used.
 */
export function canonicalWriter(): CanonicalWriter {
  const texts = new Map<readonly unknown[], string>();
  const sorted = sortedHeads();

  function write(value: unknown, path: string): string {
    if (typeof value === 'string') return quoted(value);
    if (Array.isArray(value)) return list(value, path);
    if (isPlainObject(value)) return object(value);
    if (value === null || typeof value === 'boolean' || Number.isFinite(value)) return String(value);
    throw new TypeError(`Not plain JSON under ${path}: ${typeof value}`);
  }
  function object(value: Readonly<Record<string, unknown>>): string {
    const keys = Object.keys(value);
    if (keys.length === 0) return '{}';
    let text = '';
    for (const { key, head } of sorted(keys)) text += head + write(value[key], key);
    return `${text}}`;
  }
  function list(items: readonly unknown[], path: string): string {
    const known = texts.get(items);
    if (known !== undefined) return known;
    let text = '';
    for (const item of items) text += (text === '' ? '[' : ',') + write(item, path);
    text = text === '' ? '[]' : `${text}]`;
    texts.set(items, text);
    return text;
  }
  return (value) => write(value, '$');
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

/** A key, and what stands before its value: `{"key":` for the first one, `,"key":` for the others. */
type Head = { readonly key: string; readonly head: string };
type Shape = { readonly keys: readonly string[]; readonly heads: readonly Head[] };

/** Shapes remembered with the same first key: a few, so that a hostile text with many is no slower. */
const MAX_ALIKE = 4;

/** Sorting is most of the work, and the objects of a list have the same keys in the same order. */
function sortedHeads(): (keys: readonly string[]) => readonly Head[] {
  const shapes = new Map<string | undefined, Shape[]>();
  return (keys) => {
    const alike = shapes.get(keys[0]) ?? [];
    for (const shape of alike) if (areSame(shape.keys, keys)) return shape.heads;
    const heads = keys.toSorted().map((key, at) => ({ key, head: `${at === 0 ? '{' : ','}${quoted(key)}:` }));
    if (alike.length === MAX_ALIKE) alike.shift();
    alike.push({ keys, heads });
    shapes.set(keys[0], alike);
    return heads;
  };
}

function areSame(a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return false;
  for (let at = 0; at < a.length; at += 1) if (a[at] !== b[at]) return false;
  return true;
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
