import { expect, it } from 'vitest';
import type { IsoDate } from '../ids.ts';
import { indexCoverage, indexGaps } from './index-coverage.ts';

const days = (...list: string[]) => list as IsoDate[];

it('without index days there is no coverage', () => {
  expect(indexCoverage([])).toEqual({ start: null, through: null });
});

it('weekends and holidays are not a gap', () => {
  // 2018-11-22 is Thanksgiving; 24 and 25 are a weekend.
  const known = days('2018-11-20', '2018-11-21', '2018-11-23', '2018-11-26');
  expect(indexCoverage(known)).toEqual({ start: '2018-11-20', through: '2018-11-26' });
});

it('coverage ends before the first business day that was not read, even when later days were', () => {
  const known = days('2018-11-19', '2018-11-21', '2018-11-23', '2018-11-26');
  expect(indexCoverage(known)).toEqual({ start: '2018-11-19', through: '2018-11-19' });
});

it('a gap before the last backfill does not count', () => {
  const known = days('2017-01-03', '2018-11-20', '2018-11-21', '2018-11-23');
  expect(indexCoverage(known, '2018-11-20' as IsoDate)).toEqual({
    start: '2018-11-20',
    through: '2018-11-23',
  });
  expect(indexCoverage(known)).toEqual({ start: '2017-01-03', through: '2017-01-03' });
});

it('a gap is a business day before a day that was read, not a weekend and not before the range', () => {
  const known = days('2018-11-14', '2018-11-19', '2018-11-21', '2018-11-23', '2018-11-26', '2018-11-29');
  expect(indexGaps(known, '2018-11-19' as IsoDate)).toEqual(['2018-11-20', '2018-11-27', '2018-11-28']);
  expect(indexGaps([])).toEqual([]);
});
