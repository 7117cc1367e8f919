import { expect, it, test } from 'vitest';
import type { IsoDate } from '../ids.ts';
import { coverageAnchor, doubtOfIndex, indexCoverage, indexGaps, isConfirmed } from './index-coverage.ts';

const days = (...list: string[]) => list as IsoDate[];

/** Before all days of these tests. */
const LONG_AGO = '2010-01-04' as IsoDate;

it('without index days there is no coverage', () => {
  expect(indexCoverage([], LONG_AGO)).toEqual({ start: null, through: null });
});

it('weekends and holidays are not a gap', () => {
  // 2018-11-22 is Thanksgiving; 24 and 25 are a weekend.
  const known = days('2018-11-20', '2018-11-21', '2018-11-23', '2018-11-26');
  expect(indexCoverage(known, LONG_AGO)).toEqual({ start: '2018-11-20', through: '2018-11-26' });
});

it('coverage ends before the first business day that was not read, even when later days were', () => {
  const known = days('2018-11-19', '2018-11-21', '2018-11-23', '2018-11-26');
  expect(indexCoverage(known, LONG_AGO)).toEqual({ start: '2018-11-19', through: '2018-11-19' });
});

it('a gap before the last backfill does not count', () => {
  const known = days('2017-01-03', '2018-11-20', '2018-11-21', '2018-11-23');
  expect(indexCoverage(known, '2018-11-20' as IsoDate)).toEqual({
    start: '2018-11-20',
    through: '2018-11-23',
  });
  expect(indexCoverage(known, LONG_AGO)).toEqual({ start: '2017-01-03', through: '2017-01-03' });
});

it('without a day so late, the last days that were read count', () => {
  const known = days('2017-01-03', '2018-11-20', '2018-11-21');
  expect(indexCoverage(known, '2018-11-23' as IsoDate)).toEqual({
    start: '2018-11-20',
    through: '2018-11-21',
  });
});

it('history that is read after the new days moves no watermark (rule 10.5)', () => {
  const recent = days('2018-11-26', '2018-11-27', '2018-11-28');
  const [asOf, from] = days('2018-11-28', '2013-05-01') as [IsoDate, IsoDate];
  const anchor = coverageAnchor({ asOf, from, through: null });
  const covered = { start: '2018-11-26', through: '2018-11-28' };
  expect(indexCoverage(recent, anchor)).toEqual(covered);
  expect(indexCoverage([...days('2013-05-01'), ...recent], anchor)).toEqual(covered);
  expect(indexCoverage([...days('2013-05-01', '2014-03-03'), ...recent], anchor)).toEqual(covered);
});

it('a day that is read within the days of a brief never takes the watermark back (rule 10.5)', () => {
  const [asOf, through] = days('2018-11-28', '2018-11-28') as [IsoDate, IsoDate];
  const known = days('2018-06-01', '2018-11-27', '2018-11-28');
  const anchor = coverageAnchor({ asOf, from: null, through });
  expect(indexCoverage(known, anchor)).toEqual({ start: '2018-11-27', through });
});

it('an as-of date that was moved back passes no gap (rule 10.5)', () => {
  const known = days('2018-11-19', '2018-11-21', '2018-11-23', '2018-11-26');
  const [asOf, through] = days('2018-11-26', '2018-11-30') as [IsoDate, IsoDate];
  const anchor = coverageAnchor({ asOf, from: through, through });
  expect(indexCoverage(known, anchor)).toEqual({ start: '2018-11-19', through: '2018-11-19' });
});

it('a gap holds the watermark, unless a backfill begins behind it (rule 10.5)', () => {
  const [asOf, through, from] = days('2018-11-28', '2018-11-20', '2018-11-26') as [IsoDate, IsoDate, IsoDate];
  const known = days('2018-11-20', '2018-11-26', '2018-11-27');
  const held = coverageAnchor({ asOf, from: null, through });
  expect(indexCoverage(known, held).through).toBe(through);
  expect(indexCoverage(known, coverageAnchor({ asOf, from, through })).through).toBe('2018-11-27');
});

it('a gap is a business day before a day that was read, not a weekend and not before the range', () => {
  const known = days('2018-11-14', '2018-11-19', '2018-11-21', '2018-11-23', '2018-11-26', '2018-11-29');
  expect(indexGaps(known, '2018-11-19' as IsoDate)).toEqual(['2018-11-20', '2018-11-27', '2018-11-28']);
  expect(indexGaps([])).toEqual([]);
});

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
