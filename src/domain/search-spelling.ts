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
  const distance = alignment(a, b, most);
  return distance > most ? null : distance;
}

/** Three rows of the usual table; ends where a whole row is beyond `most`. */
function alignment(a: string, b: string, most: number): number {
  let before: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const swapped = isSwap(a, b, i, j) ? cell(before, j - 2) + 1 : Number.POSITIVE_INFINITY;
      const changed = cell(last, j - 1) + (a.charCodeAt(i - 1) === b.charCodeAt(j - 1) ? 0 : 1);
      row.push(Math.min(cell(last, j) + 1, cell(row, j - 1) + 1, changed, swapped));
    }
    if (Math.min(...row) > most) return most + 1;
    before = last;
    last = row;
  }
  return cell(last, b.length);
}

/** Every cell that is asked for was filled before. */
function cell(row: readonly number[], at: number): number {
  return row[at] ?? Number.POSITIVE_INFINITY;
}

function isSwap(a: string, b: string, i: number, j: number): boolean {
  return (
    i > 1 &&
    j > 1 &&
    a.charCodeAt(i - 1) === b.charCodeAt(j - 2) &&
    a.charCodeAt(i - 2) === b.charCodeAt(j - 1)
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
