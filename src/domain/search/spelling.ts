import { MIN_LETTERS_FOR_ONE_ERROR, MIN_LETTERS_FOR_TWO_ERRORS } from './thresholds.ts';

/** Typing errors that are forgiven between two words, by the shorter one. */
export function errorsAllowed(a: string, b: string): 0 | 1 | 2 {
  const shorter = Math.min(a.length, b.length);
  if (shorter < MIN_LETTERS_FOR_ONE_ERROR) return 0;
  return shorter < MIN_LETTERS_FOR_TWO_ERRORS ? 1 : 2;
}

/**
 * The typing errors between two words: a letter wrong, missing or added, or two neighbours swapped
 * (optimal string alignment). Null when there are more than {@link errorsAllowed}.
 */
export function errorsBetween(a: string, b: string): number | null {
  const most = errorsAllowed(a, b);
  if (a === b) return 0;
  if (most === 0 || Math.abs(a.length - b.length) > most) return null;
  const distance = errorsFrom({ a, b }, 0, 0, most);
  return distance > most ? null : distance;
}

type At = { readonly a: string; readonly b: string };

/**
 * The fewest errors from the places `i` and `j` on; more than `left` when `left` are not enough. It
 * skips letters that agree and tries each kind of error at the first that do not. With at most two
 * errors that is cheaper than a table.
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
 * The letters of a word as a set of 32 bits. A typing error takes at most one of them away and brings at
 * most one, so words whose sets differ in more need no comparison.
 */
export function lettersOf(word: string): number {
  let bits = 0;
  for (let at = 0; at < word.length; at += 1) bits |= 1 << (word.charCodeAt(at) & 31);
  return bits;
}

/** False only if two words of these letters are more than `errors` apart. */
export function mayBeWithin(a: number, b: number, errors: number): boolean {
  return hasAtMost(a & ~b, errors) && hasAtMost(b & ~a, errors);
}

/** Whether no more than `count` bits are set. Cheaper than counting them: it is asked for each word of the index. */
function hasAtMost(bits: number, count: number): boolean {
  let rest = bits;
  for (let taken = 0; taken < count; taken += 1) rest &= rest - 1;
  return rest === 0;
}

/** A name that only begins alike is further away than any that the typing errors allow. */
const BEGINS_ALIKE = 3;

const MIN_LETTERS_TO_BEGIN = 3;

/**
 * The name that was probably meant: the same but for case and punctuation, else with the fewest typing errors
 * that a search forgives (rule 11.6), else one that begins alike. The first of several; null when none is near.
 */
export function nearest(given: string, names: readonly string[]): string | null {
  const wanted = plain(given);
  let best: { readonly name: string; readonly distance: number } | null = null;
  for (const name of names) {
    const distance = distanceBetween(wanted, plain(name));
    if (distance !== null && (best === null || distance < best.distance)) best = { name, distance };
  }
  return best?.name ?? null;
}

function distanceBetween(a: string, b: string): number | null {
  const errors = errorsBetween(a, b);
  if (errors !== null) return errors;
  const isLong = Math.min(a.length, b.length) >= MIN_LETTERS_TO_BEGIN;
  return isLong && (a.startsWith(b) || b.startsWith(a)) ? BEGINS_ALIKE : null;
}

function plain(text: string): string {
  return text.toLowerCase().replace(/[^a-z0-9]/g, '');
}
