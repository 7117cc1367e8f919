import { expect, test } from 'vitest';
import { daysOfDataSet } from '../../domain/filing/index-coverage.ts';
import { quarterEndOf } from '../../domain/quarter.ts';
import { dataSetPaths } from '../urls.ts';
import { dataSetNames } from './published.ts';

test('data sets before 2024 are named by the quarter, newest first', () => {
  expect(dataSetNames('13f', { from: quarterEndOf(2013, 2), to: quarterEndOf(2014, 1) })).toEqual([
    '2014q1_form13f',
    '2013q4_form13f',
    '2013q3_form13f',
    '2013q2_form13f',
  ]);
});

test('later ones are named by their days, and all that share a day with the quarters are asked for', () => {
  expect(dataSetNames('13f', { from: quarterEndOf(2023, 4), to: quarterEndOf(2024, 4) })).toEqual([
    '01dec2024-28feb2025_form13f',
    '01sep2024-30nov2024_form13f',
    '01jun2024-31aug2024_form13f',
    '01mar2024-31may2024_form13f',
    '01jan2024-29feb2024_form13f',
    '2023q4_form13f',
  ]);
  expect(dataSetNames('13f', { from: quarterEndOf(2028, 1), to: quarterEndOf(2028, 1) })).toEqual([
    '01mar2028-31may2028_form13f',
    '01dec2027-29feb2028_form13f',
  ]);
});

test('insider data sets are named by the quarter, newest first', () => {
  expect(dataSetNames('form4', { from: quarterEndOf(2025, 4), to: quarterEndOf(2026, 2) })).toEqual([
    '2026q2_form345',
    '2026q1_form345',
    '2025q4_form345',
  ]);
});

test('every name has two addresses; another name has none', () => {
  for (const name of dataSetNames('13f', { from: quarterEndOf(2013, 2), to: quarterEndOf(2026, 4) })) {
    expect(dataSetPaths(name)).toEqual([
      `/files/structureddata/data/form-13f-data-sets/${name}.zip`,
      `/files/datastandardsinnovation/data/form-13f-data-sets/${name}.zip`,
    ]);
  }
  expect(dataSetPaths('2026q2_form345')).toEqual([
    '/files/structureddata/data/insider-transactions-data-sets/2026q2_form345.zip',
    '/files/datastandardsinnovation/data/insider-transactions-data-sets/2026q2_form345.zip',
  ]);
  expect(() => dataSetPaths('../2013q2_form13f')).toThrow('not the name of a data set');
});

test('the days of filing that a data set holds are in its name', () => {
  const days = Object.fromEntries(
    ['2013q2_form13f', '2023q4_form345', '01jan2024-29feb2024_form13f', '01dec2024-28feb2025_form13f'].map(
      (name) => [name, Object.values(daysOfDataSet(name)).join(' ')],
    ),
  );
  expect(days).toEqual({
    '2013q2_form13f': '2013-04-01 2013-06-30',
    '2023q4_form345': '2023-10-01 2023-12-31',
    '01jan2024-29feb2024_form13f': '2024-01-01 2024-02-29',
    '01dec2024-28feb2025_form13f': '2024-12-01 2025-02-28',
  });
});
