import type { IsoDate, QuarterEnd } from './ids.ts';

/** A calendar year and its quarter, 1 to 4. */
export type YearAndQuarter = { readonly year: number; readonly quarter: 1 | 2 | 3 | 4 };

const QUARTER_END = /^\d{4}-(03-31|06-30|09-30|12-31)$/;
const LAST_DAYS = ['03-31', '06-30', '09-30', '12-31'] as const;

export function isQuarterEnd(text: string): text is QuarterEnd {
  return QUARTER_END.test(text);
}

/**
 * Reads `2018-09-30`, `09-30-2018` (the cover page's periodOfReport) and `20180930` (the SGML header).
 * Null when the day is not the last of a calendar quarter.
 */
export function parseQuarterEnd(text: string): QuarterEnd | null {
  const trimmed = text.trim();
  const iso = trimmed
    .replace(/^(\d{2})[-/](\d{2})[-/](\d{4})$/, '$3-$1-$2')
    .replace(/^(\d{4})(\d{2})(\d{2})$/, '$1-$2-$3');
  return isQuarterEnd(iso) ? iso : null;
}

export function quarterEndOf(year: number, quarter: YearAndQuarter['quarter']): QuarterEnd {
  return `${String(year).padStart(4, '0')}-${LAST_DAYS[quarter - 1]}` as QuarterEnd;
}

/** The end of the quarter that the day is in. */
export function quarterEndOn(day: IsoDate): QuarterEnd {
  const quarter = Math.ceil(Number(day.slice(5, 7)) / 3) as YearAndQuarter['quarter'];
  return quarterEndOf(Number(day.slice(0, 4)), quarter);
}

/** `2025-09-30` is `{ year: 2025, quarter: 3 }`. */
export function yearAndQuarterOf(quarterEnd: QuarterEnd): YearAndQuarter {
  const quarter = Number(quarterEnd.slice(5, 7)) / 3;
  return { year: Number(quarterEnd.slice(0, 4)), quarter: quarter as YearAndQuarter['quarter'] };
}

/** `2025-09-30` is `2025Q3`, as `/funds` prints it (rule 11.5). */
export function quarterLabel(quarterEnd: QuarterEnd): string {
  const { year, quarter } = yearAndQuarterOf(quarterEnd);
  return `${String(year).padStart(4, '0')}Q${quarter}`;
}

/** The adjacent earlier quarter: a report is compared with no other (rule 5.1). */
export function previousQuarterEnd(quarterEnd: QuarterEnd): QuarterEnd {
  return quarterAfter(quarterEnd, -1);
}

export function nextQuarterEnd(quarterEnd: QuarterEnd): QuarterEnd {
  return quarterAfter(quarterEnd, 1);
}

/** The quarter that is `count` quarters later, or earlier when `count` is negative. */
export function quarterAfter(quarterEnd: QuarterEnd, count: number): QuarterEnd {
  const { year, quarter } = yearAndQuarterOf(quarterEnd);
  const index = year * 4 + quarter - 1 + count;
  return quarterEndOf(Math.floor(index / 4), ((index % 4) + 1) as YearAndQuarter['quarter']);
}

/** `count` adjacent quarters ending with `to`, oldest first. */
export function quartersThrough(to: QuarterEnd, count: number): QuarterEnd[] {
  return Array.from({ length: count }, (_, index) => quarterAfter(to, index + 1 - count));
}
