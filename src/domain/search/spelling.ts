/** One typing error is forgiven in words of four letters or more, two where both have eight. */
export function errorsAllowed(a: string, b: string): 0 | 1 | 2 {
  const shorter = Math.min(a.length, b.length);
  if (shorter < 4) return 0;
  return shorter < 8 ? 1 : 2;
}

/**
 * The typing errors between two words, up to those that {@link errorsAllowed} forgives: letters
 * wrong, missing, too many, or two neighbours swapped (optimal string alignment). Null beyond.
 */
export function errorsBetween(a: string, b: string): number | null {
  const most = errorsAllowed(a, b);
  if (a === b) return 0;
  if (most === 0 || Math.abs(a.length - b.length) > most) return null;
  if (!mayBeWithin(lettersOf(a), lettersOf(b), most)) return null;
  const distance = errorsFrom({ a, b }, 0, 0, most);
  return distance > most ? null : distance;
}

type At = { readonly a: string; readonly b: string };

/**
 * The fewest errors from the places `i` and `j` on; more than `left` when it takes more. Letters that
 * agree are passed by, and at the first that do not, each way to err is tried: with two errors at
 * most that is cheaper than a table.
 */
function errorsFrom(words: At, i: number, j: number, left: number): number {
  const { a, b } = words;
  while (i < a.length && j < b.length && a.charCodeAt(i) === b.charCodeAt(j)) {
    i += 1;
    j += 1;
  }
  if (i === a.length || j === b.length) return a.length - i + b.length - j;
  if (left === 0) return 1;
  const wrong = errorsFrom(words, i + 1, j + 1, left - 1);
  const missing = errorsFrom(words, i, j + 1, left - 1);
  const added = errorsFrom(words, i + 1, j, left - 1);
  const swapped = isSwap(words, i, j) ? errorsFrom(words, i + 2, j + 2, left - 1) : left;
  return 1 + Math.min(wrong, missing, added, swapped);
}

function isSwap({ a, b }: At, i: number, j: number): boolean {
  return (
    i + 1 < a.length &&
    j + 1 < b.length &&
    a.charCodeAt(i) === b.charCodeAt(j + 1) &&
    a.charCodeAt(i + 1) === b.charCodeAt(j)
  );
}

/**
 * The letters of a word as a set of 32 bits. One typing error changes two of them at most, so words
 * whose sets differ in more are not compared letter by letter.
 */
export function lettersOf(word: string): number {
  let bits = 0;
  for (let at = 0; at < word.length; at += 1) bits |= 1 << (word.charCodeAt(at) & 31);
  return bits;
}

/** False only where two words of these letters are more than `errors` apart. */
export function mayBeWithin(a: number, b: number, errors: number): boolean {
  return bitCount(a ^ b) <= 2 * errors;
}

function bitCount(bits: number): number {
  let n = bits - ((bits >>> 1) & 0x55555555);
  n = (n & 0x33333333) + ((n >>> 2) & 0x33333333);
  return (((n + (n >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
}
