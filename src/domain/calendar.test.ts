import { describe, expect, it } from 'vitest';
import {
  addDays,
  asOfDate,
  CLOSED_BY_ORDER,
  FILING_DEADLINE_DAYS,
  filingDateOf,
  filingDeadline,
  filingWindowState,
  isBusinessDay,
  isVisible,
  newestDueQuarter,
  newestEndedQuarter,
  newYorkDate,
  previousBusinessDay,
} from './calendar.ts';
import type { IsoDate, QuarterEnd } from './ids.ts';

const day = (text: string): IsoDate => text as IsoDate;

describe('13F deadlines (rule 1.5)', () => {
  it.each([
    ['1998-12-31', '1999-02-16'], // a Sunday, then Washington's Birthday
    ['2009-12-31', '2010-02-16'],
    ['2018-09-30', '2018-11-14'],
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

  it('were never moved by an order that closed federal offices', () => {
    for (let year = 1999; year <= 2030; year += 1) {
      for (const end of ['03-31', '06-30', '09-30', '12-31']) {
        const due = addDays(`${year}-${end}` as IsoDate, FILING_DEADLINE_DAYS);
        const days = [due, ...[1, 2, 3, 4].map((more) => addDays(due, more))];
        expect(days.filter((day) => CLOSED_BY_ORDER.has(day))).toEqual([]);
      }
    }
  });

  it('keep the window open through the deadline day, not after it (rule 1.5)', () => {
    const quarterEnd = '2025-12-31' as QuarterEnd;
    expect(filingWindowState(quarterEnd, day('2026-02-14'))).toBe('open');
    expect(filingWindowState(quarterEnd, day('2026-02-17'))).toBe('open');
    expect(filingWindowState(quarterEnd, day('2026-02-18'))).toBe('closed');
  });
});

describe('New York civil dates', () => {
  it('change at New York midnight, with and without daylight saving time', () => {
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

  it.each([
    ['2001-12-24', '2001-12-21'],
    ['2003-12-26', '2003-12-24'],
    ['2004-06-11', '2004-06-10'],
    ['2007-01-02', '2006-12-29'],
    ['2007-12-24', '2007-12-21'],
    ['2008-12-26', '2008-12-24'],
    ['2012-12-24', '2012-12-21'],
    ['2014-12-26', '2014-12-24'],
    ['2018-12-05', '2018-12-04'],
    ['2020-12-24', '2020-12-23'],
    ['2025-01-09', '2025-01-08'],
    ['2025-12-26', '2025-12-23'],
  ])(
    'federal offices were closed by order on %s, the business day before is %s (rule 1.5)',
    (closed, before) => {
      expect(isBusinessDay(day(closed))).toBe(false);
      expect(previousBusinessDay(addDays(day(closed), 1))).toBe(before);
    },
  );

  it.each([
    ['2002-12-24', 'a half day off'],
    ['2012-10-29', 'a storm, EDGAR stayed open'],
    ['2020-06-19', 'not yet a holiday'],
    ['2025-10-15', 'lapsed appropriations, EDGAR stayed open'],
  ])('%s was a business day: %s (rule 1.5)', (open) => {
    expect(isBusinessDay(day(open))).toBe(true);
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

describe('the filing date of a submission (rule 1.5)', () => {
  it.each([
    ['20181114173000', '13F-HR', '2018-11-14'],
    ['20181114173001', '13F-HR', '2018-11-15'],
    ['20181116193000', '13F-HR/A', '2018-11-19'], // a Friday
    ['20260213180000', '13F-NT', '2026-02-17'], // over Washington's Birthday
    ['20181116215959', '4', '2018-11-16'],
    ['20181116193000', '4/A', '2018-11-16'],
  ])('accepted %s, form %s: filed on %s', (acceptance, form, filed) => {
    expect(filingDateOf(acceptance, form)).toBe(filed);
  });

  it('is null for text that is not an acceptance time', () => {
    expect(filingDateOf('20181332000000', '4')).toBeNull();
    expect(filingDateOf('2018-11-14', '4')).toBeNull();
  });
});

describe('the as-of date', () => {
  it('is the setting, else the civil date in New York', () => {
    const lateEvening = Date.parse('2025-01-15T04:00:00Z');
    expect(asOfDate(null, lateEvening)).toBe('2025-01-14');
    expect(asOfDate(day('2020-03-31'), lateEvening)).toBe('2020-03-31');
  });

  it('shows filings filed on that day and hides later ones', () => {
    expect(isVisible({ filedDate: day('2020-03-31') }, day('2020-03-31'))).toBe(true);
    expect(isVisible({ filedDate: day('2020-04-01') }, day('2020-03-31'))).toBe(false);
  });
});

describe('quarters around a day (rule 1.5)', () => {
  it.each([
    ['2020-03-30', '2019-12-31', '2019-12-31'],
    ['2020-03-31', '2019-12-31', '2019-12-31'],
    ['2020-04-01', '2020-03-31', '2019-12-31'],
    ['2020-12-31', '2020-09-30', '2020-09-30'],
    ['2020-02-14', '2019-12-31', '2019-09-30'],
    ['2020-02-15', '2019-12-31', '2019-12-31'],
    ['2026-02-17', '2025-12-31', '2025-09-30'],
    ['2026-02-18', '2025-12-31', '2025-12-31'],
    ['2018-11-14', '2018-09-30', '2018-06-30'],
    ['2018-11-15', '2018-09-30', '2018-09-30'],
    ['2019-01-01', '2018-12-31', '2018-09-30'],
    ['2019-02-15', '2018-12-31', '2018-12-31'],
  ])('on %s the newest ended is %s and the newest due %s', (asOf, ended, due) => {
    expect(newestEndedQuarter(day(asOf))).toBe(ended);
    expect(newestDueQuarter(day(asOf))).toBe(due);
  });
});
