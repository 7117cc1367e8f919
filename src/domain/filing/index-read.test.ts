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

test('the business days around a holiday may have far fewer filings, but not next to none', () => {
  const fridays = [100, 100, 100];
  const counts = [9, 10, 39].map((carried) => ({ rows: 500, carried }));
  const on = (date: string) =>
    counts.map((read) => doubtOfIndex({ date: date as IsoDate, ...read }, fridays));
  // Black Friday; the Friday before Martin Luther King's Monday; a Friday far from any holiday.
  expect(on('2025-11-28')).toEqual(['too_few', null, null]);
  expect(on('2026-01-16')).toEqual(['too_few', null, null]);
  expect(on('2026-01-30')).toEqual(['too_few', 'too_few', 'too_few']);
});

const HOUR_MS = 3_600_000;
const edgar = (isFinal: boolean, hours: number) => ({ isFinal, isLocal: false, doubtedMs: hours * HOUR_MS });

test('the same bytes confirm many filings at once, few or none after half a day when the day is final', () => {
  expect(isConfirmed('too_many', edgar(false, 0))).toBe(true);
  for (const doubt of ['too_few', 'empty'] as const) {
    expect([11.9, 12].map((hours) => isConfirmed(doubt, edgar(true, hours)))).toEqual([false, true]);
    expect(isConfirmed(doubt, edgar(false, 48))).toBe(false);
    expect(isConfirmed(doubt, { isFinal: true, isLocal: true, doubtedMs: 0 })).toBe(true);
  }
});
