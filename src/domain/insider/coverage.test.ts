import { expect, test } from 'vitest';
import { corpus } from '../brief/brief.sample.ts';
import type { IsoDate } from '../ids.ts';
import { coverageOfDays } from './coverage.ts';

const read = (coverageStart: string | null) => ({
  corpus: {
    asOf: '2026-11-25' as IsoDate,
    state: corpus({
      coverageStart: coverageStart as IsoDate | null,
      indexedThrough: '2026-11-24' as IsoDate,
    }),
  },
});

test.each([
  ['2020-01-01', '2020-12-31', 'not_covered'],
  ['2025-12-01', '2026-02-01', 'partial'],
  ['2026-02-01', '2026-03-01', 'covered'],
  ['2026-02-01', undefined, 'covered'],
  [undefined, '2026-03-01', 'partial'],
  [undefined, undefined, 'partial'],
  ['2027-01-01', undefined, 'not_covered'],
])('days from %s to %s are %s (rule 11.8)', (since, until, status) => {
  const days = { since: since as IsoDate | undefined, until: until as IsoDate | undefined, listed: 0 };
  const found = coverageOfDays(read('2026-01-01'), days);
  expect(found.coverage_status).toBe(status);
  expect(found.limitations.length).toBe(status === 'covered' ? 0 : 1);
});

test('nothing is covered before a day was read, but what is listed was', () => {
  for (const published of [null, read(null)]) {
    expect(coverageOfDays(published, { listed: 0 }).coverage_status).toBe('not_covered');
    expect(coverageOfDays(published, { listed: 1 }).coverage_status).toBe('partial');
  }
});
