import { expect, it } from 'vitest';
import type { IsoDate } from '../../domain/ids.ts';
import { coverageOf } from './corpus.ts';

const days = (...list: string[]) => list.map((_id) => ({ _id: _id as IsoDate }));

it('without a known day there is no coverage', () => {
  expect(coverageOf([])).toEqual({ start: null, through: null });
});

it('weekends and holidays are no gap', () => {
  // 2018-11-22 is Thanksgiving; 24 and 25 are a weekend.
  const known = days('2018-11-20', '2018-11-21', '2018-11-23', '2018-11-26');
  expect(coverageOf(known)).toEqual({ start: '2018-11-20', through: '2018-11-26' });
});

it('the watermark never passes a business day that was not read, however many days after it were', () => {
  const known = days('2018-11-19', '2018-11-21', '2018-11-23', '2018-11-26');
  expect(coverageOf(known)).toEqual({ start: '2018-11-19', through: '2018-11-19' });
});

it('a gap of before the last backfill does not hold the watermark back', () => {
  const known = days('2017-01-03', '2018-11-20', '2018-11-21', '2018-11-23');
  expect(coverageOf(known, '2018-11-20' as IsoDate)).toEqual({ start: '2018-11-20', through: '2018-11-23' });
  expect(coverageOf(known)).toEqual({ start: '2017-01-03', through: '2017-01-03' });
});
