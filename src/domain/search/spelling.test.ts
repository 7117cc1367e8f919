import fc from 'fast-check';
import { expect, it, test } from 'vitest';
import { runs } from '../../../test/runs.ts';
import { errorsAllowed, errorsBetween, lettersOf, mayBeWithin, nearest } from './spelling.ts';

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

const word = fc.stringMatching(/^[a-c]{3,10}$/);

it('is the number of errors in both directions, and null only for more than are forgiven', {
  tags: ['property'],
}, () => {
  fc.assert(
    fc.property(word, word, (one, other) => {
      const errors = errorsBetween(one, other);
      expect(errorsBetween(other, one)).toBe(errors);
      const naive = naiveErrors(one, other);
      expect(errors).toBe(one === other || naive <= errorsAllowed(one, other) ? naive : null);
    }),
    { numRuns: runs(5_000) },
  );
});

/** With digits and letters that share a bit. */
const anyWord = fc.stringMatching(/^[a-cp-r0-2]{3,10}$/);

it.each([word, anyWord])(
  'the letters of two words never exclude a close pair',
  { tags: ['property'] },
  (words) => {
    fc.assert(
      fc.property(words, words, (one, other) => {
        expect(mayBeWithin(lettersOf(one), lettersOf(other), naiveErrors(one, other))).toBe(true);
      }),
      { numRuns: runs(2_000) },
    );
  },
);

/** The whole table of the optimal string alignment. */
function naiveErrors(a: string, b: string): number {
  const table: number[][] = [];
  const at = (i: number, j: number): number => table[i]?.[j] ?? Number.NaN;
  for (let i = 0; i <= a.length; i += 1) {
    table.push([]);
    for (let j = 0; j <= b.length; j += 1) {
      if (i === 0 || j === 0) {
        table[i]?.push(i + j);
        continue;
      }
      const ways = [at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1)];
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) ways.push(at(i - 2, j - 2) + 1);
      table[i]?.push(Math.min(...ways));
    }
  }
  return at(a.length, b.length);
}

const TOOLS = ['fund.list', 'fund.get', 'capital_change_brief', 'events.latest'];

test.each([
  ['limt', ['page', 'limit'], 'limit'],
  ['ticker', ['form', 'since', 'tickers'], 'tickers'],
  ['fund', ['all', 'funds', 'managers'], 'funds'],
  ['doc', ['docs', 'connect'], 'docs'],
  ['FUND_LIST', TOOLS, 'fund.list'],
  ['capital-change-brief', TOOLS, 'capital_change_brief'],
  ['capital_chnage_bref', TOOLS, 'capital_change_brief'],
  ['q', ['quarter'], null],
  ['sum', ['fund.list'], null],
  ['', ['limit'], null],
])('%j among %j is %j', (given, names, found) => {
  expect(nearest(given, names)).toBe(found);
});

test('a name with fewer errors comes before one that begins alike', () => {
  expect(nearest('events', ['events.latest', 'event'])).toBe('event');
});
