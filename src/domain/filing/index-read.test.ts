import { expect, test } from 'vitest';
import type { IsoDate } from '../ids.ts';
import { doubtOfIndex, isConfirmed } from './index-read.ts';

const MONDAY = '2026-01-12' as IsoDate;
const read = (carried: number, rows = 4_000) => ({ date: MONDAY, rows, carried });

test('a count beyond 60 % of the median of its weekday is doubted, one at 60 % is not', () => {
  const mondays = [700, 900, 1_000, 1_100, 5_000];
  expect([400, 1_600].map((count) => doubtOfIndex(read(count), mondays))).toEqual([null, null]);
  expect(doubtOfIndex(read(399), mondays)).toBe('too_few');
  expect(doubtOfIndex(read(0), mondays)).toBe('too_few');
  expect(doubtOfIndex(read(1_610), mondays)).toBe('too_many');
});

test('two known days, or days of a few filings, say nothing', () => {
  expect(doubtOfIndex(read(1), [1_000, 1_000])).toBeNull();
  expect(doubtOfIndex(read(40), [1, 2, 3, 4, 5])).toBeNull();
});

test('an index without rows is doubted on a business day and right on a holiday', () => {
  expect(doubtOfIndex(read(0, 0), [])).toBe('empty');
  expect(doubtOfIndex({ date: '2026-01-01' as IsoDate, rows: 0, carried: 0 }, [])).toBeNull();
});

test('an equal second read confirms many filings at once, and few of them when the day is final', () => {
  expect(isConfirmed('too_many', false)).toBe(true);
  expect([isConfirmed('too_few', false), isConfirmed('empty', false)]).toEqual([false, false]);
  expect([isConfirmed('too_few', true), isConfirmed('empty', true)]).toEqual([true, true]);
});
