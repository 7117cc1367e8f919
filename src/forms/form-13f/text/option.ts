import {
  isPlainTitle,
  mentionsOption,
  namesOption,
  partsOf,
  type Side,
  sidesIn,
} from '../../../domain/filing/option-title.ts';
import { squeeze } from '../../value.ts';
import { type Columns, lastFieldStart } from './columns.ts';
import type { Line, Word } from './lines.ts';

/** Whether a row is an option; `isUnsure` when it may be one but not clearly. */
export type Option = { readonly putCall: Side | null; readonly isUnsure: boolean };

/** After one of these, a last word such as `CALL` is not part of the issuer's name. */
const COMPANY = /^(?:INC|CORP|CO|COS|LTD|PLC|NV|SA|AG|LP|LLC|TR|TRUST|FD|FUND|GROUP|GRP|HLDGS?|DEL|NEW|COM)$/;
/** With a side or an option, these words form the title of a section; none is in the form's own heading. */
const SECTION =
  /^(?:LISTED|EXCHANGE|TRADED|EQUITY|INDEX|STOCKS?|COMMON|WARRANTS?|POSITIONS?|LONG|SHORT|HELD|OWNED|PURCHASED|WRITTEN|AND|ON|OF|CONT|CONTINUED|\d{1,4})$/;

/** Each word of the lists, with the name of its list. */
export function byWord<Name extends string>(
  lists: Readonly<Record<Name, string>>,
): Readonly<Record<string, Name>> {
  const entries = Object.entries<string>(lists) as [Name, string][];
  return Object.fromEntries(entries.flatMap(([name, words]) => words.split(' ').map((word) => [word, name])));
}

/** The side in a word of a tail, also as `(CALL)` or `SH/PUT`; null when there is none. */
export function sideOf(text: string): Side | null {
  const sides = sidesIn(text);
  return sides.length === 1 ? (sides[0] ?? null) : null;
}

/**
 * True when unread words may name an option: a word for one, or a single `P` or `C` as in the column
 * Put/Call.
 */
export function mayNameOption(words: readonly Word[]): boolean {
  return words.some(
    ({ text }) => sidesIn(text).length > 0 || mentionsOption(text) || /^[([]?[PC][)\]]?$/i.test(text),
  );
}

/**
 * Decides whether a row is an option. An option read as shares would be counted as shares, so no word of
 * a side is ignored. A side is certain in the class, or at the end of an issuer when it cannot be part of
 * its name.
 */
export function optionOf(names: Names, tail: Side | null, isDebt: boolean): Option {
  const mentions = [...inTitle(names.titleOfClass), ...inIssuer(names.issuer)];
  const sides = new Set([...mentions.map(({ side }) => side), ...(tail === null ? [] : [tail])]);
  if (sides.size === 0) return { putCall: null, isUnsure: mayBeOption(names) };
  if (tail !== null) return { putCall: tail, isUnsure: sides.size > 1 };
  const isClear = sides.size === 1 && !isDebt && mentions.some(({ isPlain }) => isPlain);
  return { putCall: isClear ? (mentions[0]?.side ?? null) : null, isUnsure: !isClear };
}

/**
 * True for a title such as `PUT OPTIONS` above rows that do not repeat it; where they end is unknown. Right
 * of the CUSIPs a centred title is possible, but other words make it a heading. Right of the shares a single
 * `PUT` or `CALL` is the heading of the form's own column.
 */
export function isOptionSection({ words, text }: Line, { cusip, shares }: Columns): boolean {
  const left = words.filter(({ start }) => start < cusip.end).flatMap((word) => partsOf(word.text));
  if (left.some(namesOption)) return true;
  // `P U T S`
  const parts = partsOf(text.replace(/\b([A-Z]) (?=[A-Z]\b)/gi, '$1'));
  const isTitle = parts.some(namesOption) && parts.every((part) => namesOption(part) || SECTION.test(part));
  if (words.some(({ start }) => start < shares.end)) return isTitle;
  return isTitle && parts.length > 1 && parts.some(mentionsOption);
}

/** `OPTION CARE INC` is a company, so in an issuer only the last word counts. */
function mayBeOption({ issuer, titleOfClass }: Names): boolean {
  return mentionsOption(titleOfClass) || mentionsOption(partsOf(issuer).at(-1) ?? '');
}

type Mention = { readonly side: Side; readonly isPlain: boolean };

function inTitle(title: string): readonly Mention[] {
  return sidesIn(title).map((side) => ({ side, isPlain: isPlainTitle(title) }));
}

function inIssuer(issuer: string): readonly Mention[] {
  return [...atIssuersEnd(issuer), ...sidesIn(issuer).map((side) => ({ side, isPlain: false }))];
}

function atIssuersEnd(issuer: string): readonly Mention[] {
  const words = issuer.toUpperCase().split(' ');
  if (/^OPTIONS?\W*$/.test(words.at(-1) ?? '')) words.pop();
  const last = words.pop() ?? '';
  const [side] = sidesIn(last.replace(/\W/g, ''));
  if (side === undefined || words.length === 0) return [];
  const isPlain = /^\W/.test(last) || COMPANY.test((words.at(-1) ?? '').replace(/\W/g, ''));
  return [{ side, isPlain }];
}

export type Names = { readonly issuer: string; readonly titleOfClass: string };

export const NO_NAMES: Names = { issuer: '', titleOfClass: '' };

/**
 * Issuer and class left of the CUSIP: split where most classes of the page begin, else at the last gap of
 * two blanks. Without a gap the column alone decides.
 */
export function namesIn(text: string, { titleStart }: Pick<Columns, 'titleStart'>): Names {
  const plain = text.trimEnd();
  const begins = plain.search(/\S/);
  if (begins < 0) return NO_NAMES;
  const gap = lastFieldStart(plain);
  const cut = cutOf(plain, titleStart, gap);
  if (titleStart !== null && begins >= titleStart - 2) return { issuer: '', titleOfClass: squeeze(plain) };
  return { issuer: squeeze(plain.slice(0, cut)), titleOfClass: squeeze(plain.slice(cut)) };
}

/** Joins a name over two lines. */
export function joined(a: Names, b: Names): Names {
  return {
    issuer: squeeze(`${a.issuer} ${b.issuer}`),
    titleOfClass: squeeze(`${a.titleOfClass} ${b.titleOfClass}`),
  };
}

function cutOf(plain: string, titleStart: number | null, gap: number | null): number {
  if (titleStart !== null && plain[titleStart - 1] === ' ' && (plain[titleStart] ?? ' ') !== ' ')
    return titleStart;
  if (gap !== null) return gap;
  return titleStart !== null && plain.length > titleStart ? titleStart : plain.length;
}
