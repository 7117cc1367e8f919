import { describe, expect, it } from 'vitest';
import type { QuarterEnd } from './ids.ts';
import {
  isQuarterEnd,
  nextQuarterEnd,
  parseQuarterEnd,
  previousQuarterEnd,
  quarterAfter,
  quarterEndOf,
  quarterLabel,
  quartersThrough,
  yearAndQuarterOf,
} from './quarter.ts';

const q = (text: string): QuarterEnd => text as QuarterEnd;

describe('quarter ends', () => {
  it('are only the last days of March, June, September and December', () => {
    expect(['2024-03-31', '2024-06-30', '2024-09-30', '2024-12-31'].every(isQuarterEnd)).toBe(true);
    expect(['2024-03-30', '2024-06-31', '2024-02-29', '24-03-31', ''].some(isQuarterEnd)).toBe(false);
  });

  it('are read from the cover page, the SGML header and ISO', () => {
    expect(parseQuarterEnd('09-30-2018')).toBe('2018-09-30');
    expect(parseQuarterEnd('09/30/2018')).toBe('2018-09-30');
    expect(parseQuarterEnd('20180930')).toBe('2018-09-30');
    expect(parseQuarterEnd(' 2018-09-30 ')).toBe('2018-09-30');
    expect(parseQuarterEnd('2018-02-30')).toBeNull();
    expect(parseQuarterEnd('30-09-2018')).toBeNull();
  });

  it('step across the year in both directions', () => {
    expect(previousQuarterEnd(q('2020-03-31'))).toBe('2019-12-31');
    expect(nextQuarterEnd(q('2019-12-31'))).toBe('2020-03-31');
    for (const quarter of [1, 2, 3, 4] as const) {
      const end = quarterEndOf(2021, quarter);
      expect(yearAndQuarterOf(end)).toEqual({ year: 2021, quarter });
      expect(previousQuarterEnd(nextQuarterEnd(end))).toBe(end);
    }
  });

  it('are counted back from the last one, oldest first', () => {
    expect(quartersThrough(q('2019-03-31'), 2)).toEqual(['2018-12-31', '2019-03-31']);
    expect(quarterAfter(q('2019-03-31'), -5)).toBe('2017-12-31');
    expect(quarterAfter(q('2019-03-31'), 7)).toBe('2020-12-31');
  });

  it('are labelled as /funds prints them', () => {
    expect(quarterLabel(q('2025-09-30'))).toBe('2025Q3');
  });
});
