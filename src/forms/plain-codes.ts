/** What a character of a plain document can be part of, as bits. */
const TEXT = 1;
/** `&` and `>`: a text with one needs a second look, for its references and for `]]>`. */
export const SPECIAL = 2;
export const NAME = 4;
export const BLANK = 8;

/** By character; 0 for `<`, for NUL and for what the fast reader does not know. */
const KINDS = Uint8Array.from({ length: 256 }, (_, code) => kindOf(String.fromCharCode(code)));

function kindOf(character: string): number {
  if (!/[\t\n\x20-\x7e]/.test(character) || character === '<') return 0;
  const bit = (pattern: RegExp, kind: number): number => (pattern.test(character) ? kind : 0);
  return TEXT | bit(/[&>]/, SPECIAL) | bit(/[\w.-]/, NAME) | bit(/\s/, BLANK);
}

const encoder = new TextEncoder();
/** Used again for each document that fits, so that small ones leave no garbage. */
const SHARED = new Uint8Array(256 * 1024);

/**
 * The characters of an ASCII text with a NUL behind them; null for any other text. An array, because each
 * character of a string takes longer to read. It is valid until the next call.
 */
export function codesOf(text: string): Uint8Array | null {
  const codes = text.length < SHARED.length ? SHARED : new Uint8Array(text.length + 1);
  const { read, written } = encoder.encodeInto(text, codes);
  // Every other character takes two bytes or more.
  if (read !== text.length || written !== text.length) return null;
  codes[written] = 0;
  return codes;
}

export function kindAt(codes: Uint8Array, at: number): number {
  return KINDS[codes[at] ?? 0] ?? 0;
}

/** The first position from `from` on that is not blank. */
export function afterBlanks(codes: Uint8Array, from: number): number {
  let at = from;
  while ((kindAt(codes, at) & BLANK) !== 0) at += 1;
  return at;
}

/** The end of a text that ends at `to`, without the blanks before it. */
export function beforeBlanks(codes: Uint8Array, to: number): number {
  let at = to;
  while ((kindAt(codes, at - 1) & BLANK) !== 0) at -= 1;
  return at;
}
