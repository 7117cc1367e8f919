import { expect, test } from 'vitest';
import { percentOf, percentWords } from './numbers.ts';

test('a holder that kept a few shares did not cut 100 %', () => {
  // Renaissance kept 9,562 of 7,099,648 shares of Apple, 0001037389-23-000121.
  expect(percentWords(-99.8653)).toBe('-99.87 %');
  expect([99.4, 99.5, 99.9999, 100, 100.4].map(percentOf)).toEqual([
    '99 %',
    '99.50 %',
    '99.99 %',
    '100 %',
    '100 %',
  ]);
});
