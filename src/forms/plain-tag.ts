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

/** The rest of a tag of ASCII, from its character at `from`; null unless it is at most one attribute. */
export function restOfTag(xml: string, from: number): RestOfTag | null {
  const end = xml.indexOf('>', from);
  if (end < 0) return null;
  const text = xml.slice(from, end + 1);
  const [, key, value = '', slash] = REST.exec(text) ?? [];
  if (slash === undefined) return null;
  const attributes = key === undefined ? NO_ATTRIBUTES : { [ownCopy(key)]: ownCopy(value) };
  return { attributes, isEmpty: slash === '/', length: text.length };
}
