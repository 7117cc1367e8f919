import { describe, expect, it } from 'vitest';
import { asOfDate, isVisible } from './as-of.ts';
import {
  addDays,
  filingDeadline,
  filingWindowState,
  isBusinessDay,
  newYorkDate,
  previousBusinessDay,
} from './calendar.ts';
import type { IsoDate, QuarterEnd } from './ids.ts';

const day = (text: string): IsoDate => text as IsoDate;

describe('13F deadlines', () => {
  it.each([
    ['2022-03-31', '2022-05-16'],
    ['2022-06-30', '2022-08-15'],
    ['2025-12-31', '2026-02-17'],
    ['2026-06-30', '2026-08-14'],
    ['2026-09-30', '2026-11-16'],
    ['2026-12-31', '2027-02-16'],
    ['2027-03-31', '2027-05-17'],
    ['2027-06-30', '2027-08-16'],
    ['2027-09-30', '2027-11-15'],
  ])('quarter end %s is due on %s', (quarterEnd, deadline) => {
    expect(filingDeadline(quarterEnd as QuarterEnd)).toBe(deadline);
  });

  it('keep the window open through the deadline day and not after it', () => {
    const quarterEnd = '2025-12-31' as QuarterEnd;
    expect(filingWindowState(quarterEnd, day('2026-02-14'))).toBe('open');
    expect(filingWindowState(quarterEnd, day('2026-02-17'))).toBe('open');
    expect(filingWindowState(quarterEnd, day('2026-02-18'))).toBe('closed');
  });
});

describe('New York civil dates', () => {
  it('change at New York midnight in both halves of daylight saving', () => {
    expect(newYorkDate(Date.parse('2025-01-15T04:59:59Z'))).toBe('2025-01-14');
    expect(newYorkDate(Date.parse('2025-01-15T05:00:00Z'))).toBe('2025-01-15');
    expect(newYorkDate(new Date('2025-07-15T03:59:59Z'))).toBe('2025-07-14');
    expect(newYorkDate(new Date('2025-07-15T04:00:00Z'))).toBe('2025-07-15');
  });

  it('add days across months, leap days and clock changes', () => {
    expect(addDays(day('2024-02-28'), 1)).toBe('2024-02-29');
    expect(addDays(day('2025-03-08'), 2)).toBe('2025-03-10');
    expect(addDays(day('2020-03-31'), -180)).toBe('2019-10-03');
  });

  it('know weekends, observed holidays and closures by order', () => {
    expect(isBusinessDay(day('2026-02-14'))).toBe(false);
    expect(isBusinessDay(day('2026-02-16'))).toBe(false);
    expect(isBusinessDay(day('2021-12-31'))).toBe(false); // New Year's Day 2022, a Saturday
    expect(isBusinessDay(day('2018-12-24'))).toBe(false);
    expect(isBusinessDay(day('2018-12-26'))).toBe(true);
    expect(isBusinessDay(day('2026-02-17'))).toBe(true);
  });

  it('step back over a long weekend', () => {
    expect(previousBusinessDay(day('2026-02-17'))).toBe('2026-02-13');
    expect(previousBusinessDay(day('2026-02-18'))).toBe('2026-02-17');
  });
});

describe('the as-of date', () => {
  it('is the setting, else the civil date in New York', () => {
    const lateEvening = Date.parse('2025-01-15T04:00:00Z');
    expect(asOfDate(null, lateEvening)).toBe('2025-01-14');
    expect(asOfDate(day('2020-03-31'), lateEvening)).toBe('2020-03-31');
  });

  it('shows filings dated on it and hides later ones', () => {
    expect(isVisible({ filedDate: day('2020-03-31') }, day('2020-03-31'))).toBe(true);
    expect(isVisible({ filedDate: day('2020-04-01') }, day('2020-03-31'))).toBe(false);
  });
});
