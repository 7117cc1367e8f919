import type { Cusip } from '../ids.ts';

/**
 * True when the ninth character is the mod-10 double-add-double digit of the first eight.
 * A is 10 … Z is 35, `*` 36, `@` 37, `#` 38; every second value is doubled (rule 3.1).
 * On the official list of 13(f) securities every CUSIP that is not an option passes, and most option
 * classes fail.
 */
export function cusipCheckDigitOk(cusip: Cusip): boolean {
  let sum = 0;
  for (let position = 0; position < 8; position += 1) {
    const value = characterValue(cusip.charCodeAt(position)) * (1 + (position % 2));
    sum += Math.floor(value / 10) + (value % 10);
  }
  return (10 - (sum % 10)) % 10 === cusip.charCodeAt(8) - ZERO;
}

/**
 * What one typing error makes of a CUSIP: another digit or letter in a place, or two neighbours swapped. Of a right one
 * those that fail the check digit, of a wrong one those that it may have been.
 */
export function misprintsOf(cusip: Cusip): Cusip[] {
  const isRight = cusipCheckDigitOk(cusip);
  const typed = [...cusip].flatMap((own, at) => {
    const [before, after] = [cusip.slice(0, at), cusip.slice(at + 1)];
    const swapped = before + after.slice(0, 1) + own + after.slice(1);
    return [swapped, ...[...(own < 'A' ? DIGITS : LETTERS)].map((other) => before + other + after)];
  });
  return [...new Set(typed as Cusip[])].filter((one) => cusipCheckDigitOk(one) !== isRight);
}

const [DIGITS, LETTERS] = ['0123456789', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'] as const;
const ZERO = 48;
const LETTER_A = 65;
const SPECIAL: ReadonlyMap<number, number> = new Map([
  [42, 36],
  [64, 37],
  [35, 38],
]);

function characterValue(code: number): number {
  if (code < 58 && code >= ZERO) return code - ZERO;
  return SPECIAL.get(code) ?? code - LETTER_A + 10;
}
