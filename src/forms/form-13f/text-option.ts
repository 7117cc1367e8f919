import type { InfoTableRow } from '../../domain/filing.ts';
import type { Columns } from './text-columns.ts';
import type { Line, Word } from './text-lines.ts';
import type { Names } from './text-names.ts';

export type Side = NonNullable<InfoTableRow['putCall']>;

/** What a row says of being an option; `isUnsure` when it names a side and is not plainly one. */
export type Option = { readonly putCall: Side | null; readonly isUnsure: boolean };

const SIDES: Readonly<Record<string, Side>> = { PUT: 'PUT', PUTS: 'PUT', CALL: 'CALL', CALLS: 'CALL' };
/** Beside a side these leave a class an option; a note or a warrant with a call is none. */
const PLAIN_CLASS = /^(?:COM|COMMON|STOCK|STK|SHS|SHARES|OPT|OPTN|OPTIONS?|EQUITY|ADR|CL|CLASS|[ABC])$/;
/** A name may end in a word of its own; after the form of the company it does not. */
const COMPANY = /^(?:INC|CORP|CO|COS|LTD|PLC|NV|SA|AG|LP|LLC|TR|TRUST|FD|FUND|GROUP|GRP|HLDGS?|DEL|NEW|COM)$/;
const SECTION =
  /^(?:PUTS?|CALLS?|OPTIONS?|LISTED|EQUITY|STOCK|INDEX|LONG|WRITTEN|PURCHASED|POSITIONS?|CONTRACTS?|ON|AND)$/;
const NAMES_OPTIONS = /^(?:PUT|CALL|OPTION)S?$/;

/** The side that a word of a tail is, also as `(CALL)` or `SH/PUT`; null when it is none. */
export function sideOf(text: string): Side | null {
  const sides = sidesIn(text);
  return sides.length === 1 ? (sides[0] ?? null) : null;
}

/**
 * True when words that no reader took may name a side: one of the words itself, or a lone `P` or `C`
 * in the place of the column Put/Call.
 */
export function maySayOption(words: readonly Word[]): boolean {
  return words.some(({ text }) => sidesIn(text).length > 0 || /^[([]?[PC][)\]]?$/i.test(text));
}

/** An option reported as shares would be counted with them, so every word of a side has to be taken. */
export function optionOf(names: Names, tail: Side | null, isDebt: boolean): Option {
  const said = [...inTitle(names.titleOfClass), ...atIssuersEnd(names.issuer)];
  const sides = new Set([...said.map(({ side }) => side), ...(tail === null ? [] : [tail])]);
  if (sides.size === 0) return { putCall: null, isUnsure: false };
  if (tail !== null) return { putCall: tail, isUnsure: sides.size > 1 };
  const isClear = sides.size === 1 && !isDebt && said.some(({ isPlain }) => isPlain);
  return { putCall: isClear ? (said[0]?.side ?? null) : null, isUnsure: !isClear };
}

/**
 * `PUT OPTIONS` above rows, of which none need say so itself; it is not told where they end. The words
 * of the form's own column Put/Call stand right of the CUSIPs.
 */
export function isOptionSection({ words, text }: Line, { cusip }: Columns): boolean {
  const [first] = words;
  if (first === undefined || first.start >= cusip.end) return false;
  const parts = partsOf(text);
  return (
    parts.length <= 5 &&
    parts.every((part) => SECTION.test(part)) &&
    parts.some((part) => NAMES_OPTIONS.test(part))
  );
}

type Said = { readonly side: Side; readonly isPlain: boolean };

function inTitle(title: string): readonly Said[] {
  const isPlain = partsOf(title).every((part) => part in SIDES || PLAIN_CLASS.test(part));
  return sidesIn(title).map((side) => ({ side, isPlain }));
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

function sidesIn(text: string): readonly Side[] {
  return partsOf(text).flatMap((part) => SIDES[part] ?? []);
}

function partsOf(text: string): readonly string[] {
  return text
    .toUpperCase()
    .split(/[^A-Z0-9&]+/)
    .filter((part) => part !== '');
}
