import type { InfoTableRow } from './filing.ts';

export type Side = NonNullable<InfoTableRow['putCall']>;

const SIDES: Readonly<Record<string, Side>> = {
  PUT: 'PUT',
  PUTS: 'PUT',
  PUTOPT: 'PUT',
  CALL: 'CALL',
  CALLS: 'CALL',
  CALLOPT: 'CALL',
};
/** Words for an option without its side. */
const OPTION = /^(?:OPTIONS?|OPTNS?|OPTS?|LEAPS)$/;
/** With a side or an option, these words are the title of an option; a note or a warrant with a call is none. */
const PLAIN =
  /^(?:COM|COMMON|STOCK|STK|SHS|SHARES|EQUITY|ADR|CL|CLASS|[ABC]|ON|LISTED|LONG|EXP|STRIKE|\d{1,8})$/;
const EXPIRY = /^\d{0,2}(?:JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC)\d{0,4}$/;

/** The side of a row: its mark, else what its title says of a row of shares (rule 2.5). */
export function sideOfRow({
  putCall,
  amountType,
  titleOfClass,
}: Pick<InfoTableRow, 'putCall' | 'amountType' | 'titleOfClass'>): Side | 'UNKNOWN' | null {
  return putCall ?? (amountType === 'SH' ? optionOfTitle(titleOfClass) : null);
}

/**
 * What a title of class alone says of a row (rule 2.5): `CALL`, `PUT OPTIONS` and `COM CALL 01/20/23` name a side,
 * `OPTION` and `PUT/CALL` an option of an unknown one. Null for all else, as `COVERED CALL ETF` and `PFD CALL 2030`.
 */
export function optionOfTitle(title: string): Side | 'UNKNOWN' | null {
  // Almost no title has such a word.
  if (!/PUT|CALL|OPT|LEAPS/i.test(title)) return null;
  const sides = new Set(sidesIn(title));
  const [side = null] = sides;
  if (!isPlainTitle(title) || (side === null && !mentionsOption(title))) return null;
  return side !== null && sides.size === 1 ? side : 'UNKNOWN';
}

/** Whether every word of a title may be of the title of an option. */
export function isPlainTitle(title: string): boolean {
  return partsOf(title).every((part) => namesOption(part) || PLAIN.test(part) || EXPIRY.test(part));
}

/** The sides that the words of a text name, in their order. */
export function sidesIn(text: string): readonly Side[] {
  return partsOf(text).flatMap((part) => SIDES[part] ?? []);
}

/** Whether a word of a text is one for an option without its side. */
export function mentionsOption(text: string): boolean {
  return partsOf(text).some((part) => OPTION.test(part));
}

/** Whether one word names a side or an option. */
export function namesOption(part: string): boolean {
  return part in SIDES || OPTION.test(part);
}

/** The words of a text, in capitals. */
export function partsOf(text: string): readonly string[] {
  return text
    .toUpperCase()
    .split(/[^A-Z0-9]+/)
    .filter((part) => part !== '');
}
