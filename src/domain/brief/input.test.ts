import { expect, test } from 'vitest';
import type { QuarterEnd } from '../ids.ts';
import { readsCorporateActions, readsReports } from './input.ts';

const LATEST = '2018-09-30' as QuarterEnd;
const QUARTERS = ['2018-12-31', '2018-09-30', '2018-06-30', '2018-03-31', '2015-09-30', '2015-06-30'];

const readBy = (reads: typeof readsReports, latest: QuarterEnd | null): string[] =>
  QUARTERS.filter((quarterEnd) => reads(latest, quarterEnd as QuarterEnd));

test('a brief reads reports of the latest quarter, of the one before and of later ones (rule 7.1)', () => {
  expect(readBy(readsReports, LATEST)).toEqual(['2018-12-31', '2018-09-30', '2018-06-30']);
});

test('a brief reads what filers proved in the quarters in force of the reports that it reads (rule 5.3)', () => {
  expect(readBy(readsCorporateActions, LATEST)).toEqual([
    ...['2018-12-31', '2018-09-30', '2018-06-30', '2018-03-31'],
    // The last of the twelve that count in 2018-06-30.
    '2015-09-30',
  ]);
});

test('before anything is published any quarter may be read', () => {
  for (const reads of [readsReports, readsCorporateActions]) expect(readBy(reads, null)).toEqual(QUARTERS);
});
