import { expect, test } from 'vitest';
import { quarterEndOf } from '../../domain/quarter.ts';
import { dataSetPath } from '../urls.ts';
import { dataSetNames } from './published.ts';

test('data sets before 2024 are named by the quarter, newest first', () => {
  expect(dataSetNames(quarterEndOf(2013, 2), quarterEndOf(2014, 1))).toEqual([
    '2014q1_form13f',
    '2013q4_form13f',
    '2013q3_form13f',
    '2013q2_form13f',
  ]);
});

test('later ones are named by their days, and all that share a day with the quarters are asked for', () => {
  expect(dataSetNames(quarterEndOf(2023, 4), quarterEndOf(2024, 4))).toEqual([
    '01dec2024-28feb2025_form13f',
    '01sep2024-30nov2024_form13f',
    '01jun2024-31aug2024_form13f',
    '01mar2024-31may2024_form13f',
    '01jan2024-29feb2024_form13f',
    '2023q4_form13f',
  ]);
  expect(dataSetNames(quarterEndOf(2028, 1), quarterEndOf(2028, 1))).toEqual([
    '01mar2028-31may2028_form13f',
    '01dec2027-29feb2028_form13f',
  ]);
});

test('every name has an address; another name has none', () => {
  for (const name of dataSetNames(quarterEndOf(2013, 2), quarterEndOf(2026, 4))) {
    expect(dataSetPath(name)).toBe(`/files/structureddata/data/form-13f-data-sets/${name}.zip`);
  }
  expect(() => dataSetPath('../2013q2_form13f')).toThrow('not the name of a data set');
});
