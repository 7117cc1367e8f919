import fc from 'fast-check';
import { expect, test } from 'vitest';
import { rowNumbers, rowRanges } from './row-range.ts';

test.each([
  [[], ''],
  [[7], '7'],
  [[11, 12, 13], '11-13'],
  [[9, 3, 8, 7, 3], '3,7-9'],
])('the rows %j are written as %j', (rows, text) => {
  expect(rowRanges(rows)).toBe(text);
});

test('writing row numbers as ranges never loses or adds one', () => {
  const numbers = fc.uniqueArray(fc.integer({ min: 1, max: 60 }), { maxLength: 40 });
  fc.assert(
    fc.property(numbers, (rows) => {
      expect(rowNumbers(rowRanges(rows))).toEqual(rows.toSorted((a, b) => a - b));
    }),
  );
});
