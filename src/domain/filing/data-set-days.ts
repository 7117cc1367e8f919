import { type IsoDate, requireIsoDate } from '../ids.ts';
import { quarterEndOf } from '../quarter.ts';

/** As names of data sets have them. */
export const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** The days of filing that a data set holds. */
export function daysOfDataSet(name: string): { readonly first: IsoDate; readonly last: IsoDate } {
  const [, year, quarter] = /^(\d{4})q([1-4])_/.exec(name) ?? [];
  if (year !== undefined) {
    const last = Number(quarter) * 3;
    return {
      first: dayOf(year, last - 2, 1),
      last: quarterEndOf(Number(year), Number(quarter) as 1 | 2 | 3 | 4),
    };
  }
  const [, from = '', fromYear = '', day = '', to = '', toYear = ''] =
    /^01([a-z]{3})(\d{4})-(\d{2})([a-z]{3})(\d{4})_/.exec(name) ?? [];
  return {
    first: dayOf(fromYear, MONTHS.indexOf(from) + 1, 1),
    last: dayOf(toYear, MONTHS.indexOf(to) + 1, Number(day)),
  };
}

function dayOf(year: string, month: number, day: number): IsoDate {
  const two = (n: number): string => String(n).padStart(2, '0');
  return requireIsoDate(`${year}-${two(month)}-${two(day)}`);
}
