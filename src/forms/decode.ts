import { isAscii, isUtf8 } from 'node:buffer';
import { MAX_SUBMISSION_BYTES, ParseError } from './parse-error.ts';
import type { Source } from './source.ts';

const DECLARED = /<\?xml[^>]{0,200}?encoding\s*=\s*["']([A-Za-z0-9._-]+)["']/gi;
const LATIN = /^(iso-8859-1|latin1|windows-1252|cp1252|us-ascii)$/i;
/**
 * The characters of windows-1252 from 0x80 to 0x9f; a blank where it has none. Needed because Node 20
 * reads `windows-1252` as ISO-8859-1, which turns quotation marks into control characters.
 */
const WINDOWS_1252 = '€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ';

/** Of a submission so large that it stays bytes: some 2,000 rows of a table. */
const LARGE_BYTES = 1024 * 1024;
const BYTE_ORDER_MARK = Buffer.from('\ufeff');
const REPLACEMENT = '\ufffd';

/** A character of UTF-8 outside of ASCII, or what is left of one. */
const UTF8_CHARACTER = /[\u00c2-\u00f4][\u0080-\u00bf]/;

/**
 * Bytes to text: no character is ever replaced. Tries UTF-8, then windows-1252 (the superset of ISO-8859-1).
 * Where XML says UTF-8, or nothing, that is a guess, made only when no character of UTF-8 is among the others;
 * another declared encoding is refused. A large submission in UTF-8 stays bytes. Throws `bad_encoding`, `too_large`.
 */
export function decodeSubmission(bytes: Uint8Array): Source {
  if (bytes.byteLength > MAX_SUBMISSION_BYTES) {
    throw new ParseError('too_large', `${bytes.byteLength} bytes, at most ${MAX_SUBMISSION_BYTES}`);
  }
  const source = bytes.byteLength < LARGE_BYTES ? textIn(bytes) : (largeUtf8In(bytes) ?? textIn(bytes));
  if (source.includes('\0')) throw new ParseError('bad_encoding', 'a NUL character');
  if (source.includes(REPLACEMENT)) throw new ParseError('bad_encoding', 'a replacement character U+FFFD');
  return source;
}

function textIn(bytes: Uint8Array): string {
  return isAscii(bytes) ? latin1Of(bytes) : (utf8Of(bytes) ?? windows1252Of(bytes));
}

/** Null for bytes that are not UTF-8. */
function largeUtf8In(bytes: Uint8Array): Buffer | null {
  if (!isUtf8(bytes)) return null;
  const utf8 = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const isMarked = utf8.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
  return isMarked ? utf8.subarray(BYTE_ORDER_MARK.length) : utf8;
}

function latin1Of(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}

function utf8Of(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** Whether names were read in windows-1252 although XML says UTF-8, which it also does by saying nothing. */
export function isEncodingGuessed(bytes: Uint8Array): boolean {
  return !isUtf8(bytes) && isGuess(latin1Of(bytes));
}

function isGuess(text: string): boolean {
  const declared = declaredIn(text);
  return declared.length === 0 ? text.includes('<XML>') : declared.some((name) => !LATIN.test(name));
}

function declaredIn(text: string): string[] {
  return [...text.matchAll(DECLARED)].map((match) => match[1] ?? '');
}

function windows1252Of(bytes: Uint8Array): string {
  const text = latin1Of(bytes);
  const other = declaredIn(text).find((name) => !LATIN.test(name) && !/^utf-?8$/i.test(name));
  if (other !== undefined) throw new ParseError('bad_encoding', `declares ${other} but is not`);
  if (isGuess(text) && UTF8_CHARACTER.test(text)) {
    throw new ParseError('bad_encoding', 'characters of UTF-8 and others');
  }
  return text.replace(/[\u0080-\u009f]/g, (control) => {
    const character = WINDOWS_1252[control.charCodeAt(0) - 0x80] ?? ' ';
    if (character === ' ') throw new ParseError('bad_encoding', 'neither UTF-8 nor windows-1252');
    return character;
  });
}
