import type { AmendmentType, OtherManager, ThirteenF } from '../../../domain/filing/filing.ts';
import type { QuarterEnd } from '../../../domain/ids.ts';
import { isQuarterEnd } from '../../../domain/quarter.ts';
import { parseAmount, squeeze } from '../../value.ts';
import type { Line } from './lines.ts';

/** Cover and summary pages of real filings have under 150 lines; those of other managers may follow. */
const COVER_LINES = 400;
const KIND = /([[(|/][\s_]{0,8}[xX]?[\s_]{0,8}[\])|/])\s{0,16}13\s?-?F\s(HOLDINGS|NOTICE|COMBINATION)/i;
const NAMED = /\b13F (HOLDINGS|NOTICE|COMBINATION)\b/i;
const BOX = /[[(|/][\s_]{0,8}[xX]?[\s_]{0,8}[\])|/]|_{1,8}[xX]?_{1,8}/g;
const AMENDS = new RegExp(
  `(${BOX.source})\\s{0,8}(?:is\\s(?:a|an)\\s(restatement)|adds?\\s(new)\\sholding)`,
  'gi',
);
const INCLUDED = /^\s*(\d{1,3})\.?\s+(?:(0?28)-? ?(\d{0,6})|_{2,})_*\s+(\S.*)$/;
const REPORTING = /^\s*(0?28)- ?(\d{1,6})\s{2,}(\S.*)$/;
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/**
 * Reads the cover and summary pages of Form 13F as text. The first of each statement counts: until 2002
 * a filing repeated the cover of every included manager, as a notice of its own (rule 2.14). Null for what
 * is not stated readably.
 */
export function readTextCover(lines: readonly Line[]) {
  const top = lines.slice(0, COVER_LINES).map(({ text }) => text);
  const [, again] = top.flatMap((text, at) => (/FORM 13-?F COVER ?PAGE/i.test(text) ? [at] : []));
  const cover = top.slice(0, again);
  return {
    cik: null,
    managerName: null,
    reportType: reportTypeIn(cover),
    quarterEnd: quarterEndIn(cover),
    amendmentNumber: numberAfter(cover, /amendment number/i),
    amendmentType: amendmentTypeIn(cover),
    confidentialOmitted: omitsIn(cover),
    confidentialReveal: null,
    additionalInformation: null,
    form13fFileNumber: fileNumberIn(cover),
    reportedBy: reportingManagers(cover),
    includes: includedManagers(cover),
    declaredEntryTotal: numberAfter(top, /table entry total/i),
    declaredValueTotal: parseAmount(figureAfter(top, /table value total/i) ?? '')?.value ?? null,
    schemaVersion: null,
  };
}

/** The ticked type or, without any boxes, the only type that is named. */
function reportTypeIn(lines: readonly string[]): ThirteenF['reportType'] | null {
  const boxes = lines.flatMap((text) => {
    const [, box = '', kind = ''] = KIND.exec(text) ?? [];
    return box === '' ? [] : [{ isTicked: /x/i.test(box), kind }];
  });
  const named = lines.flatMap((text) => NAMED.exec(text)?.[1] ?? []);
  const kinds = boxes.length === 0 ? named : boxes.flatMap(({ isTicked, kind }) => (isTicked ? [kind] : []));
  return kinds.length === 1 ? ((kinds[0] ?? '').toLowerCase() as ThirteenF['reportType']) : null;
}

/**
 * The ticked type; both boxes may be on one line. With one box more than texts, a box may belong to the text
 * before it, so the line is ignored (rule 2.14).
 */
function amendmentTypeIn(lines: readonly string[]): AmendmentType | null {
  const ticked = lines.flatMap((text) => {
    const stated = [...text.matchAll(AMENDS)];
    const boxes = text.slice(stated[0]?.index).match(BOX) ?? [];
    if (stated.length > 0 && boxes.length !== stated.length) return [null];
    return stated.flatMap(([, box = '', restatement]) => {
      if (!/x/i.test(box)) return [];
      return [restatement === undefined ? ('new_holdings' as const) : ('restatement' as const)];
    });
  });
  return ticked.length === 1 ? (ticked[0] ?? null) : null;
}

/** `June 30, 2009`, `DECEMBER 31ST, 2009`, `09-30-2007`, `12/31/09`, `9/30/2011`. */
function quarterEndIn(lines: readonly string[]): QuarterEnd | null {
  const line = lines.find((text) => /report for the .{0,40}quarter ended/i.test(text)) ?? '';
  const date = line.slice(line.search(/quarter ended/i) + 13);
  const words = /([A-Za-z]{3})[A-Za-z]{0,6}\.? {1,3}(\d{1,2})(?:st|th)?,? {0,3}(\d{4})/i.exec(date);
  if (words !== null) {
    const month = MONTHS.indexOf((words[1] ?? '').toLowerCase()) + 1;
    return quarterEndOf(Number(words[3]), month, Number(words[2]));
  }
  const [, month, day, year] = /(\d{1,2})[-/](\d{1,2})[-/](\d{4}|\d{2})\b/.exec(date) ?? [];
  return year === undefined ? null : quarterEndOf(fullYear(Number(year)), Number(month), Number(day));
}

function fullYear(year: number): number {
  if (year > 99) return year;
  return year < 70 ? 2000 + year : 1900 + year;
}

function quarterEndOf(year: number, month: number, day: number): QuarterEnd | null {
  const iso = `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
  return isQuarterEnd(iso) ? iso : null;
}

/**
 * The first figure after the words on their line, else a figure alone on one of the two lines below. Text in
 * brackets is a scale or a note. Null when other words come first.
 */
function figureAfter(lines: readonly string[], words: RegExp): string | null {
  const at = lines.findIndex((text) => words.test(text));
  const here = lines[at];
  if (here === undefined) return null;
  const rest = withoutNotes(here.slice(here.search(words)).replace(words, ''));
  const found = /\d[\d,]*(?:\.\d+)?/.exec(rest)?.[0];
  if (found !== undefined || /\w/.test(rest)) return found ?? null;
  const below = lines.slice(at + 1, at + 3).map(withoutNotes);
  const next = below.find((text) => /[^\s\-=_]/.test(text)) ?? '';
  return /^\s*\$?\s*(\d[\d,]*(?:\.\d+)?)\s*$/.exec(next)?.[1] ?? null;
}

function withoutNotes(text: string): string {
  return text.replace(/\([^()]*\)/g, ' ');
}

function numberAfter(lines: readonly string[], words: RegExp): number | null {
  const amount = parseAmount(figureAfter(lines, words) ?? '');
  return amount === null || amount.fractional || amount.value > 1_000_000_000n ? null : Number(amount.value);
}

function fileNumberIn(lines: readonly string[]): string | null {
  const line = lines.find((text) => /13F file number: *0?28/i.test(text)) ?? '';
  const found = /(0?28-) ?(\d{1,6})/.exec(line);
  return found === null ? null : `${found[1]}${found[2]}`;
}

/** The form asks for this sentence; without it nothing is known. */
function omitsIn(lines: readonly string[]): true | null {
  const text = lines.join(' ').replace(/\s+/g, ' ');
  return /confidential (?:information|treatment)[^.]{0,60} omitted/i.test(text) ? true : null;
}

/** The numbered list of the summary page: managers whose holdings are in this report (rule 2.14). */
function includedManagers(lines: readonly string[]): readonly OtherManager[] {
  return listAfter(lines, /list of other included managers/i, /information table *$/i).flatMap((text) => {
    const [, sequence, prefix, number, name] = INCLUDED.exec(text) ?? [];
    if (sequence === undefined || name === undefined || !/[A-Za-z]/.test(name)) return [];
    return [managerOf(name, [prefix, number], Number(sequence))];
  });
}

/** The list of the cover page: managers who report for this one. */
function reportingManagers(lines: readonly string[]): readonly OtherManager[] {
  const list = listAfter(lines, /list of other managers reporting/i, /summary page|report summary/i);
  return list.flatMap((text) => {
    const [, prefix, number, name] = REPORTING.exec(text) ?? [];
    return name === undefined ? [] : [managerOf(name, [prefix, number], null)];
  });
}

function managerOf(
  name: string,
  fileNumber: readonly (string | undefined)[],
  sequence: number | null,
): OtherManager {
  const form13fFileNumber = fileNumber.every(Boolean) ? fileNumber.join('-') : null;
  return { name: squeeze(name), cik: null, form13fFileNumber, sequence };
}

function listAfter(lines: readonly string[], heading: RegExp, end: RegExp): readonly string[] {
  const start = lines.findIndex((text) => heading.test(text));
  if (start < 0) return [];
  const list = lines.slice(start + 1);
  const stop = list.findIndex((text) => end.test(text));
  return stop < 0 ? list : list.slice(0, stop);
}
