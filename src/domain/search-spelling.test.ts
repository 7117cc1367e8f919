import fc from 'fast-check';
import { expect, it } from 'vitest';
import { errorsAllowed, errorsBetween, lettersOf, mayBeWithin } from './search-spelling.ts';

it.each([
  ['berkshire', 'berkhsire', 1],
  ['hathaway', 'hathway', 1],
  ['hathaway', 'hatway', null],
  ['hathaway', 'hathawey', 1],
  ['apple', 'aple', 1],
  ['apple', 'appel', 1],
  ['apple', 'appla', 1],
  ['apple', 'ample', 1],
  ['apple', 'aplle', 1],
  ['apple', 'aeplp', null],
  ['wellington', 'welingtom', 2],
  ['ford', 'fordd', 1],
  ['ibm', 'ibn', null],
])('%s and %s are %s errors apart', (one, other, errors) => {
  expect(errorsBetween(one, other) ?? null).toBe(errors);
});

const word = fc.stringMatching(/^[a-f]{3,10}$/);

it('is the number of errors, whichever comes first, and null only beyond what is forgiven', () => {
  fc.assert(
    fc.property(word, word, (one, other) => {
      const errors = errorsBetween(one, other);
      expect(errorsBetween(other, one)).toBe(errors);
      const naive = naiveErrors(one, other);
      expect(errors).toBe(one === other || naive <= errorsAllowed(one, other) ? naive : null);
    }),
    { numRuns: 3_000 },
  );
});

it('the letters of two words never hide how close they are', () => {
  fc.assert(
    fc.property(word, word, (one, other) => {
      expect(mayBeWithin(lettersOf(one), lettersOf(other), naiveErrors(one, other))).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});

/** By the definition: the cheapest of all ways, with nothing left out. */
function naiveErrors(a: string, b: string): number {
  if (a === '' || b === '') return a.length + b.length;
  if (a[0] === b[0]) return naiveErrors(a.slice(1), b.slice(1));
  const ways = [naiveErrors(a.slice(1), b), naiveErrors(a, b.slice(1)), naiveErrors(a.slice(1), b.slice(1))];
  if (a[0] === b[1] && a[1] === b[0]) ways.push(naiveErrors(a.slice(2), b.slice(2)));
  return 1 + Math.min(...ways);
}
