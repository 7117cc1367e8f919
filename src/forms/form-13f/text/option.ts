import type { InfoTableRow } from '../../../domain/filing/filing.ts';
import type { Columns } from './columns.ts';
import type { Line, Word } from './lines.ts';
import type { Names } from './names.ts';

export type Side = NonNullable<InfoTableRow['putCall']>;

/** What a row says of being an option; `isUnsure` when it may be one and is not plainly. */
export type Option = { readonly putCall: Side | null; readonly isUnsure: boolean };

const SIDES: Readonly<Record<string, Side>> = {
  PUT: 'PUT',
  PUTS: 'PUT',
  PUTOPT: 'PUT',
  CALL: 'CALL',
  CALLS: 'CALL',
  CALLOPT: 'CALL',
};
/** Says an option, and no side. */
const OPTION = /^(?:OPTIONS?|OPTNS?|OPTS?|LEAPS)$/;
/** Beside a side these leave a class an option; a note or a warrant with a call is none. */
const PLAIN_CLASS = /^(?:COM|COMMON|STOCK|STK|SHS|SHARES|OPTIONS?|OPTNS?|OPTS?|EQUITY|ADR|CL|CLASS|[ABC])$/;
/** A name may end in a word of its own; after the form of the company it does not. */
const COMPANY = /^(?:INC|CORP|CO|COS|LTD|PLC|NV|SA|AG|LP|LLC|TR|TRUST|FD|FUND|GROUP|GRP|HLDGS?|DEL|NEW|COM)$/;
/** With a side or an option these make the title of a section; no word of the form's own heading is one. */
const SECTION =
  /^(?:LISTED|EXCHANGE|TRADED|EQUITY|INDEX|STOCKS?|COMMON|WARRANTS?|POSITIONS?|LONG|SHORT|HELD|OWNED|PURCHASED|WRITTEN|AND|ON|OF|CONT|CONTINUED|\d{1,4})$/;

/** The side that a word of a tail is, also as `(CALL)` or `SH/PUT`; null when it is none. */
export function sideOf(text: string): Side | null {
  const sides = sidesIn(text);
  return sides.length === 1 ? (sides[0] ?? null) : null;
}

/**
 * True when words that no reader took may say an option: one of the words itself, or a lone `P` or `C`
 * in the place of the column Put/Call.
 */
export function maySayOption(words: readonly Word[]): boolean {
  return words.some(
    ({ text }) => sidesIn(text).length > 0 || saysOption(text) || /^[([]?[PC][)\]]?$/i.test(text),
  );
}

/**
 * An option reported as shares would be counted with them, so no word of a side is passed over. It is
 * taken where it stands plainly: in the class, or at the end of the issuer, whose own name it may be.
 */
export function optionOf(names: Names, tail: Side | null, isDebt: boolean): Option {
  const said = [...inTitle(names.titleOfClass), ...inIssuer(names.issuer)];
  const sides = new Set([...said.map(({ side }) => side), ...(tail === null ? [] : [tail])]);
  if (sides.size === 0) return { putCall: null, isUnsure: maySayNoSide(names) };
  if (tail !== null) return { putCall: tail, isUnsure: sides.size > 1 };
  const isClear = sides.size === 1 && !isDebt && said.some(({ isPlain }) => isPlain);
  return { putCall: isClear ? (said[0]?.side ?? null) : null, isUnsure: !isClear };
}

/**
 * `PUT OPTIONS` above rows, of which none need say so itself; it is not told where they end. Right of the
 * CUSIPs, where a title that is centred may stand, other words make it a heading, and right of the shares
 * `PUT` or `CALL` alone does: the form's own column is there.
 */
export function isOptionSection({ words, text }: Line, { cusip, shares }: Columns): boolean {
  const left = words.filter(({ start }) => start < cusip.end).flatMap((word) => partsOf(word.text));
  if (left.some(namesOption)) return true;
  // `P U T S`
  const parts = partsOf(text.replace(/\b([A-Z]) (?=[A-Z]\b)/gi, '$1'));
  const isTitle = parts.some(namesOption) && parts.every((part) => namesOption(part) || SECTION.test(part));
  if (words.some(({ start }) => start < shares.end)) return isTitle;
  return isTitle && parts.length > 1 && parts.some((part) => OPTION.test(part));
}

function namesOption(part: string): boolean {
  return part in SIDES || OPTION.test(part);
}

/** `OPTION CARE INC` is a company: in an issuer only the last word counts. */
function maySayNoSide({ issuer, titleOfClass }: Names): boolean {
  return saysOption(titleOfClass) || OPTION.test(partsOf(issuer).at(-1) ?? '');
}

type Said = { readonly side: Side; readonly isPlain: boolean };

function inTitle(title: string): readonly Said[] {
  const isPlain = partsOf(title).every((part) => part in SIDES || PLAIN_CLASS.test(part));
  return sidesIn(title).map((side) => ({ side, isPlain }));
}

function inIssuer(issuer: string): readonly Said[] {
  return [...atIssuersEnd(issuer), ...sidesIn(issuer).map((side) => ({ side, isPlain: false }))];
}

function atIssuersEnd(issuer: string): readonly Said[] {
  const words = issuer.toUpperCase().split(' ');
  if (/^OPTIONS?\W*$/.test(words.at(-1) ?? '')) words.pop();
  const last = words.pop() ?? '';
  const side = SIDES[last.replace(/\W/g, '')];
  if (side === undefined || words.length === 0) return [];
  const isPlain = /^\W/.test(last) || COMPANY.test((words.at(-1) ?? '').replace(/\W/g, ''));
  return [{ side, isPlain }];
}

function saysOption(text: string): boolean {
  return partsOf(text).some((part) => OPTION.test(part));
}

function sidesIn(text: string): readonly Side[] {
  return partsOf(text).flatMap((part) => SIDES[part] ?? []);
}

function partsOf(text: string): readonly string[] {
  return text
    .toUpperCase()
    .split(/[^A-Z0-9]+/)
    .filter((part) => part !== '');
}
