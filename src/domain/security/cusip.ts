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
