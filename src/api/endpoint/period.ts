import { z } from 'zod';
import type { QuarterEnd } from '../../domain/ids.ts';
import { quarterEndOf, type YearAndQuarter } from '../../domain/quarter.ts';
import type { Detail } from '../http/problem.ts';

export type Period = { readonly year?: number | undefined; readonly quarter?: number | undefined };

/** A report period: both or neither. */
export const periodParams = {
  year: z.int().min(1990).max(2100).optional().describe('Year of the report period, with quarter'),
  quarter: z.int().min(1).max(4).optional().describe('Quarter of the report period, with year'),
};

export function periodRule({ year, quarter }: Period): Detail[] {
  if ((year === undefined) === (quarter === undefined)) return [];
  return [
    { param: year === undefined ? 'year' : 'quarter', reason: 'year and quarter must be given together' },
  ];
}

/** The last day of the quarter; null when no quarter was given. */
export function periodEnd({ year, quarter }: Period): QuarterEnd | null {
  if (year === undefined || quarter === undefined) return null;
  return quarterEndOf(year, quarter as YearAndQuarter['quarter']);
}
