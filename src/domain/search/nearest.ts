import { errorsBetween } from './spelling.ts';

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
