import { Temporal } from 'temporal-polyfill';
import { expect, test } from 'vitest';
import { easternToUtc } from './header.ts';

test('a summer acceptance is four hours behind UTC and a winter one five', () => {
  expect(easternToUtc('20231016165638')).toBe('2023-10-16T20:56:38Z');
  expect(easternToUtc('20181114160459')).toBe('2018-11-14T21:04:59Z');
});

test('summer time before 2007 follows its own rules', () => {
  // Until 2006 summer time ended on the last Sunday of October; since 2007, in November.
  expect(easternToUtc('20061031120000')).toBe('2006-10-31T17:00:00Z');
  expect(easternToUtc('20071031120000')).toBe('2007-10-31T16:00:00Z');
});

test('an evening acceptance falls on the next day in UTC', () => {
  expect(easternToUtc('20250307210008')).toBe('2025-03-08T02:00:08Z');
});

test('every hour around both clock changes agrees with the zone rules', () => {
  for (const day of ['20200307', '20200308', '20200309', '20201031', '20201101', '20201102']) {
    for (let hour = 0; hour < 24; hour += 1) {
      const stamp = `${day}${String(hour).padStart(2, '0')}3015`;
      const wall = stamp.replace(/^(....)(..)(..)(..)(..)(..)$/, '$1-$2-$3T$4:$5:$6');
      const expected = Temporal.PlainDateTime.from(wall).toZonedDateTime('America/New_York').toInstant();
      expect(easternToUtc(stamp), stamp).toBe(expected.toString());
    }
  }
});

test.each(['', '20200230120000', '20201301120000', '20200101246000', '2020-01-01', '202001011200'])(
  '%j is no time',
  (stamp) => {
    expect(easternToUtc(stamp)).toBeNull();
  },
);
