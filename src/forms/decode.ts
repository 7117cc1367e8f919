import { isAscii } from 'node:buffer';
import { MAX_SUBMISSION_BYTES } from './limits.ts';
import { ParseError } from './parse-error.ts';

const DECLARED = /<\?xml[^>]{0,200}?encoding\s*=\s*["']([A-Za-z0-9._-]+)["']/gi;
const LATIN = /^(iso-8859-1|latin1|windows-1252|cp1252|us-ascii)$/i;
/**
 * The characters of windows-1252 from 0x80 to 0x9f; a blank where it has none. Needed because Node 20
 * reads `windows-1252` as ISO-8859-1, which turns quotation marks into control characters.
 */
const WINDOWS_1252 = '€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ';

/**
 * Bytes to text, exactly or not at all: no character is ever replaced. Tries UTF-8, then windows-1252
 * (the superset of ISO-8859-1) unless an XML declaration names another encoding.
 * Throws `bad_encoding`, `too_large`.
 */
export function decodeSubmission(bytes: Uint8Array): string {
  if (bytes.byteLength > MAX_SUBMISSION_BYTES) {
    throw new ParseError('too_large', `${bytes.byteLength} bytes, at most ${MAX_SUBMISSION_BYTES}`);
  }
  const text = isAscii(bytes) ? latin1Of(bytes) : (utf8Of(bytes) ?? windows1252Of(bytes));
  if (text.includes('\0')) throw new ParseError('bad_encoding', 'a NUL character');
  if (text.includes('\ufffd')) throw new ParseError('bad_encoding', 'a replacement character U+FFFD');
  return text;
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

function windows1252Of(bytes: Uint8Array): string {
  const text = latin1Of(bytes);
  const declared = [...text.matchAll(DECLARED)].map((match) => match[1] ?? '');
  const other = declared.find((name) => !LATIN.test(name));
  // A file that declares UTF-8 but is not UTF-8 is damaged. A guess could change names unnoticed.
  if (other !== undefined) throw new ParseError('bad_encoding', `declares ${other} but is not`);
  return text.replace(/[\u0080-\u009f]/g, (control) => {
    const character = WINDOWS_1252[control.charCodeAt(0) - 0x80] ?? ' ';
    if (character === ' ') throw new ParseError('bad_encoding', 'neither UTF-8 nor windows-1252');
    return character;
  });
}
