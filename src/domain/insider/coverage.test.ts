import { expect, test } from 'vitest';
import type { IsoDate } from '../ids.ts';
import { coverageOfDays } from './coverage.ts';

const READ = {
  coverageStart: '2026-01-01' as IsoDate,
  indexedThrough: '2026-11-24' as IsoDate,
  asOf: '2026-11-25' as IsoDate,
};

test.each([
  ['2020-01-01', '2020-12-31', 'not_covered'],
  ['2025-12-01', '2026-02-01', 'partial'],
  ['2026-02-01', '2026-03-01', 'covered'],
  ['2026-02-01', null, 'covered'],
  [null, '2026-03-01', 'partial'],
  [null, null, 'partial'],
  ['2027-01-01', null, 'not_covered'],
])('days from %s to %s are %s (rule 11.8)', (since, until, status) => {
  const days = { since: since as IsoDate | null, until: until as IsoDate | null };
  const found = coverageOfDays(READ, days);
  expect(found.coverage_status).toBe(status);
  expect(found.limitations.length).toBe(status === 'covered' ? 0 : 1);
});

test('nothing is covered before a day was read', () => {
  const found = coverageOfDays({ ...READ, coverageStart: null }, { since: null, until: null });
  expect(found.coverage_status).toBe('not_covered');
});
