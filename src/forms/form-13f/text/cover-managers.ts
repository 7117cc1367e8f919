import type { OtherManager } from '../../../domain/filing/filing.ts';
import { squeeze } from '../../value.ts';

const INCLUDED = /^\s*(\d{1,3})\.?\s+(?:(0?28)-? ?(\d{0,6})|_{2,})_*\s+(\S.*)$/;
const REPORTING = /^\s*(0?28)- ?(\d{1,6})\s{2,}(\S.*)$/;

/** The numbered list of the summary page: managers whose holdings are in this report (rule 2.14). */
export function includedManagers(lines: readonly string[]): readonly OtherManager[] {
  return listAfter(lines, /list of other included managers/i, /information table *$/i).flatMap((text) => {
    const [, sequence, prefix, number, name] = INCLUDED.exec(text) ?? [];
    if (sequence === undefined || name === undefined || !/[A-Za-z]/.test(name)) return [];
    return [managerOf(name, { prefix, number, sequence: Number(sequence) })];
  });
}

/** The list of the cover page: managers who report for this one. */
export function reportingManagers(lines: readonly string[]): readonly OtherManager[] {
  const list = listAfter(lines, /list of other managers reporting/i, /summary page|report summary/i);
  return list.flatMap((text) => {
    const [, prefix, number, name] = REPORTING.exec(text) ?? [];
    return name === undefined ? [] : [managerOf(name, { prefix, number, sequence: null })];
  });
}

type Numbers = {
  readonly prefix: string | undefined;
  readonly number: string | undefined;
  readonly sequence: number | null;
};

function managerOf(name: string, { prefix, number, sequence }: Numbers): OtherManager {
  const form13fFileNumber = prefix && number ? `${prefix}-${number}` : null;
  return { name: squeeze(name), cik: null, form13fFileNumber, sequence };
}

function listAfter(lines: readonly string[], heading: RegExp, end: RegExp): readonly string[] {
  const start = lines.findIndex((text) => heading.test(text));
  if (start < 0) return [];
  const list = lines.slice(start + 1);
  const stop = list.findIndex((text) => end.test(text));
  return stop < 0 ? list : list.slice(0, stop);
}
