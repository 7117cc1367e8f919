import { expect, test } from 'vitest';
import { addDays, isBusinessDay } from '../domain/calendar.ts';
import { type IsoDate, requireIsoDate } from '../domain/ids.ts';
import { dataSetsWith } from './recent.ts';

function businessDays(from: string, through: string): IsoDate[] {
  const days: IsoDate[] = [];
  for (let day = requireIsoDate(from); day <= through; day = addDays(day, 1)) {
    if (isBusinessDay(day)) days.push(day);
  }
  return days;
}

const asOf = requireIsoDate('2024-07-15');

test('unread days are brought by the sets of both forms that are complete, newest first', () => {
  expect(dataSetsWith({ days: businessDays('2023-12-01', asOf), asOf, listed: null })).toEqual([
    '2024q2_form345',
    '01mar2024-31may2024_form13f',
    '2024q1_form345',
    '01jan2024-29feb2024_form13f',
    '2023q4_form13f',
    '2023q4_form345',
  ]);
});

test('a set is not downloaded for a few days, nor for days before the first one, nor one that is not listed', () => {
  const few = businessDays('2024-03-26', '2024-03-31');
  expect(dataSetsWith({ days: few, asOf, listed: null })).toEqual([]);
  const old = businessDays('2005-01-03', '2006-01-31');
  expect(dataSetsWith({ days: old, asOf, listed: null })).toEqual(['2006q1_form345']);
  const days = businessDays('2024-01-02', '2024-03-31');
  expect(dataSetsWith({ days, asOf, listed: ['2024q1_form345.zip'] })).toEqual(['2024q1_form345']);
  expect(dataSetsWith({ days: [], asOf, listed: null })).toEqual([]);
});
