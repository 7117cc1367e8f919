import { isAscii } from 'node:buffer';

/**
 * A submission or a part of it, between two of its characters: text, or valid UTF-8 of a large one, of which
 * the text would take as much memory again. Both are searched and cut in the same way.
 */
export type Source = string | Buffer;

const MAX_ASCII = 0x7f;

export function asText(source: Source): string {
  if (typeof source === 'string') return source;
  // Nearly always ASCII, which is decoded many times as fast.
  return source.toString(isAscii(source) ? 'latin1' : 'utf8');
}

/** Between two positions that a search of this source gave. */
export function partOf(source: Source, from: number, to?: number): Source {
  return typeof source === 'string' ? source.slice(from, to) : source.subarray(from, to);
}

/** The first characters of a source; at most so many. */
export function firstChars(source: Source, most: number): string {
  if (typeof source === 'string') return source.slice(0, most);
  // Each has at most four bytes.
  return asText(source.subarray(0, 4 * most)).slice(0, most);
}

/** How far a text reaches in a source. */
export function lengthIn(source: Source, text: string): number {
  return typeof source === 'string' ? text.length : Buffer.byteLength(text);
}

/** Without the blanks at both ends. */
export function trimmed(source: Source): Source {
  if (typeof source === 'string') return source.trim();
  let [from, to] = [0, source.length];
  while (from < to && isBlank(source[from])) from += 1;
  while (from < to && isBlank(source[to - 1])) to -= 1;
  const part = source.subarray(from, to);
  const isPlain = (source[from] ?? 0) <= MAX_ASCII && (source[to - 1] ?? 0) <= MAX_ASCII;
  return isPlain ? part : Buffer.from(asText(part).trim());
}

/** The blanks of ASCII: tab, line feed, vertical tab, form feed, carriage return, space. */
function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || (byte !== undefined && byte >= 0x09 && byte <= 0x0d);
}
