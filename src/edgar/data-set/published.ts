import { MONTHS } from '../../domain/filing/index-coverage.ts';
import type { QuarterEnd } from '../../domain/ids.ts';
import { previousQuarterEnd, quarterEndOf, quarterLabel } from '../../domain/quarter.ts';
import type { DataSetKind } from '../../forms/index.ts';

/** Of filing dates. The first with Form 13F: managers file their tables as XML since May 2013. */
export const FIRST_PUBLISHED: Readonly<Record<DataSetKind, QuarterEnd>> = {
  '13f': quarterEndOf(2013, 2),
  form4: quarterEndOf(2006, 1),
};

/** Of which kind a data set is, by its name. */
export function kindOfDataSet(name: string): DataSetKind {
  return name.endsWith('_form13f') ? '13f' : 'form4';
}

export type Quarters = { readonly from: QuarterEnd; readonly to: QuarterEnd };

/** The names of the data sets with the filings of the quarters, newest first. */
export function dataSetNames(kind: DataSetKind, quarters: Quarters): string[] {
  return kind === '13f' ? thirteenFNames(quarters) : insiderNames(quarters);
}

/** Each holds what was filed in a calendar quarter. */
function insiderNames({ from, to }: Quarters): string[] {
  const names: string[] = [];
  for (let quarter = to; quarter >= from; quarter = previousQuarterEnd(quarter)) {
    names.push(`${quarterLabel(quarter).toLowerCase()}_form345`);
  }
  return names;
}

/** Months are counted from the year 0. */
const monthIn = (year: number, month: number): number => year * 12 + month - 1;
const JANUARY_2024 = monthIn(2024, 1);
const MARCH_2024 = monthIn(2024, 3);

/**
 * A set holds what was filed in a calendar quarter; from March 2024 on, in three months from March, June,
 * September or December. So one set may begin before `from` or end after `to`.
 */
function thirteenFNames({ from, to }: Quarters): string[] {
  const lastMonth = (quarterEnd: QuarterEnd): number =>
    monthIn(Number(quarterEnd.slice(0, 4)), Number(quarterEnd.slice(5, 7)));
  const names = new Set<string>();
  for (let month = lastMonth(to); month >= lastMonth(from) - 2; month -= 1) names.add(nameOfMonth(month));
  return [...names];
}

function nameOfMonth(month: number): string {
  if (month < JANUARY_2024) {
    const quarter = Math.floor((month % 12) / 3) + 1;
    return `${Math.floor(month / 12)}q${quarter}_form13f`;
  }
  if (month < MARCH_2024) return nameOfDays(JANUARY_2024, MARCH_2024);
  const first = month - ((month - MARCH_2024) % 3);
  return nameOfDays(first, first + 3);
}

/** `01mar2024-31may2024_form13f`: the months from `first` to the one before `end`. */
function nameOfDays(first: number, end: number): string {
  const last = end - 1;
  const day = new Date(Date.UTC(Math.floor(end / 12), end % 12, 0)).getUTCDate();
  return `01${printed(first)}-${day}${printed(last)}_form13f`;
}

function printed(month: number): string {
  return `${MONTHS[month % 12]}${Math.floor(month / 12)}`;
}
