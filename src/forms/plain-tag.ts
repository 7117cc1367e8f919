import { ownCopy } from './value.ts';
import type { XmlElement } from './xml.ts';

/** What stands in a tag after the name of the element. */
export type RestOfTag = {
  readonly attributes: XmlElement['attributes'];
  /** The tag also closes the element. */
  readonly isEmpty: boolean;
  /** In characters, with the `>`. */
  readonly length: number;
};

export const NO_ATTRIBUTES: XmlElement['attributes'] = Object.freeze({});
/** Of a tag that ends behind the name. */
export const BARE: RestOfTag = { attributes: NO_ATTRIBUTES, isEmpty: false, length: 1 };

/** The value is of printable characters other than `"`, `&` and `<`. */
const REST = /^(?:[ \n]+([A-Za-z_][\w.-]*)="([ !#-%'-;=-~]*)")?[ \t\n]*(\/?)>$/;
/** Rests met before: a form refers to its few footnotes again and again. */
const RESTS = new Map<string, RestOfTag>();
const MAX_RESTS = 1_000;
const MAX_KEPT_CHARS = 40;

/** The rest of a tag of ASCII, from its character at `from`; null unless it is at most one attribute. */
export function restOfTag(xml: string, from: number): RestOfTag | null {
  const end = xml.indexOf('>', from);
  if (end < 0) return null;
  const text = xml.slice(from, end + 1);
  const known = RESTS.get(text);
  if (known !== undefined) return known;
  const own = ownCopy(text);
  const [, key, value = '', slash] = REST.exec(own) ?? [];
  if (slash === undefined) return null;
  const attributes = key === undefined ? NO_ATTRIBUTES : { [key]: value };
  const rest = { attributes, isEmpty: slash === '/', length: text.length };
  if (RESTS.size < MAX_RESTS && own.length <= MAX_KEPT_CHARS) RESTS.set(own, rest);
  return rest;
}
