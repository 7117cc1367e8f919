import { MAX_DEPTH, MAX_TEXT_CHARS } from './parse-error.ts';
import { ownCopy } from './value.ts';
import { decodedText, elementNamed, textOf, type XmlElement } from './xml.ts';

const DECLARATION =
  /^<\?xml version="1\.0"(?: encoding="[A-Za-z][\w.-]*")?(?: standalone="(?:yes|no)")? ?\?>/;
const PLAIN_NAME = /^[A-Za-z_]/;
const SLASH = 0x2f;
const LESS = 0x3c;
const GREATER = 0x3e;
/** In place of a position: the strict parser has to decide. */
const NOT_PLAIN = -1;

/**
 * The fast reader, for the XML of nearly all ownership documents: ASCII, at most one attribute, no
 * prefixes, comments, CDATA or mixed content. Everything is checked to be well-formed. Null for any
 * other XML, which the strict parser then accepts or refuses.
 */
export function readPlainElement(xml: string): XmlElement | null {
  const codes = codesOf(xml);
  if (codes === null) return null;
  const document = elementNamed('', NO_ATTRIBUTES);
  const scan: Scan = { xml, codes, parent: document, last: null, outer: [] };
  let at = afterBlanks(codes, DECLARATION.exec(xml)?.[0].length ?? 0);
  while (codes[at] === LESS) {
    const end = codes[at + 1] === SLASH ? close(scan, at) : open(scan, at);
    if (end === NOT_PLAIN) return null;
    at = afterBlanks(codes, end);
    if (at - end > MAX_TEXT_CHARS) return null;
  }
  const isWhole = at === xml.length && scan.parent === document && document.first === scan.last;
  return isWhole ? document.first : null;
}

type Scan = {
  readonly xml: string;
  /** Of `xml`, with a NUL at the end, which no loop passes. */
  readonly codes: Uint8Array;
  /** The innermost element that is not closed; the document when all are. */
  parent: XmlElement;
  /** Its last child so far. */
  last: XmlElement | null;
  /** The parents of `parent`, the document first. */
  readonly outer: XmlElement[];
};

/** Reads the opening tag at `at`, its text, and the closing tag if no child comes before it. The position behind them. */
function open(scan: Scan, at: number): number {
  const { xml, codes } = scan;
  const name = nameAt(scan, at + 1);
  if (name === null || scan.outer.length >= MAX_DEPTH) return NOT_PLAIN;
  const from = at + 1 + name.length;
  const rest = codes[from] === GREATER ? BARE : restOfTag(xml, from);
  if (rest === null) return NOT_PLAIN;
  const element = elementNamed(name, rest.attributes);
  append(scan, element);
  if (rest.isEmpty) return from + rest.length;
  const start = from + rest.length;
  const next = readText(scan, element, start);
  if (next === NOT_PLAIN || next - start > MAX_TEXT_CHARS) return NOT_PLAIN;
  if (codes[next + 1] === SLASH) return behindClosing(scan, next, name);
  if (element.source !== '') return NOT_PLAIN;
  scan.outer.push(scan.parent);
  scan.parent = element;
  scan.last = null;
  return next;
}

function append(scan: Scan, element: XmlElement): void {
  if (scan.last === null) scan.parent.first = element;
  else scan.last.next = element;
  scan.last = element;
}

/** Reads the tag at `at`, which has to close the innermost element. The position behind it. */
function close(scan: Scan, at: number): number {
  const outer = scan.outer.pop();
  if (outer === undefined) return NOT_PLAIN;
  const { name } = scan.parent;
  scan.last = scan.parent;
  scan.parent = outer;
  return behindClosing(scan, at, name);
}

function behindClosing({ xml, codes }: Scan, at: number, name: string): number {
  const end = at + 2 + name.length;
  return xml.startsWith(name, at + 2) && codes[end] === GREATER ? end + 1 : NOT_PLAIN;
}

/** Null for what is not a name without a prefix. */
function nameAt({ xml, codes }: Scan, at: number): string | null {
  let end = at;
  while ((kindAt(codes, end) & NAME) !== 0) end += 1;
  const name = xml.slice(at, end);
  return PLAIN_NAME.test(name) ? name : null;
}

/** Gives an element its text, which begins at `from`. The position of the next tag. */
function readText({ xml, codes }: Scan, element: XmlElement, from: number): number {
  const start = afterBlanks(codes, from);
  let end = start;
  let seen = 0;
  for (let kind = kindAt(codes, end); kind !== 0; kind = kindAt(codes, end)) {
    seen |= kind;
    end += 1;
  }
  if (codes[end] !== LESS) return NOT_PLAIN;
  if (end === start) return end;
  element.source = xml;
  element.from = start;
  element.to = beforeBlanks(codes, end);
  return (seen & SPECIAL) === 0 || decode(element) ? end : NOT_PLAIN;
}

/** False for a reference that XML does not define itself, a bare `&`, and `]]>`. */
function decode(element: XmlElement): boolean {
  const text = textOf(element);
  const decoded = text.includes(']]>') ? null : decodedText(text);
  if (decoded === null) return false;
  element.source = decoded;
  element.from = 0;
  element.to = decoded.length;
  return true;
}

/** What stands in a tag after the name of the element. */
type RestOfTag = {
  readonly attributes: XmlElement['attributes'];
  /** The tag also closes the element. */
  readonly isEmpty: boolean;
  /** In characters, with the `>`. */
  readonly length: number;
};

const NO_ATTRIBUTES: XmlElement['attributes'] = Object.freeze({});
/** Of a tag that ends behind the name. */
const BARE: RestOfTag = { attributes: NO_ATTRIBUTES, isEmpty: false, length: 1 };

/** The value is of printable characters other than `"`, `&` and `<`. */
const REST = /^(?:[ \n]+([A-Za-z_][\w.-]*)="([ !#-%'-;=-~]*)")?[ \t\n]*(\/?)>$/;

/** The rest of a tag of ASCII, from its character at `from`; null unless it is at most one attribute. */
function restOfTag(xml: string, from: number): RestOfTag | null {
  const end = xml.indexOf('>', from);
  if (end < 0) return null;
  const text = xml.slice(from, end + 1);
  const [, key, value = '', slash] = REST.exec(text) ?? [];
  if (slash === undefined) return null;
  const attributes = key === undefined ? NO_ATTRIBUTES : { [ownCopy(key)]: ownCopy(value) };
  return { attributes, isEmpty: slash === '/', length: text.length };
}

/** What a character of a plain document can be part of, as bits. */
const TEXT = 1;
/** `&` and `>`: a text with one needs a second look, for its references and for `]]>`. */
const SPECIAL = 2;
const NAME = 4;
const BLANK = 8;

/** By character; 0 for `<`, for NUL and for what the fast reader does not know. */
const KINDS = Uint8Array.from({ length: 256 }, (_, code) => kindOf(String.fromCharCode(code)));

function kindOf(character: string): number {
  if (!/[\t\n\x20-\x7e]/.test(character) || character === '<') return 0;
  const bit = (pattern: RegExp, kind: number): number => (pattern.test(character) ? kind : 0);
  return TEXT | bit(/[&>]/, SPECIAL) | bit(/[\w.-]/, NAME) | bit(/\s/, BLANK);
}

const encoder = new TextEncoder();
/** Used again for each document that fits, so that small ones leave no garbage. */
const SHARED = new Uint8Array(256 * 1024);

/**
 * The characters of an ASCII text with a NUL behind them; null for any other text. An array, because each
 * character of a string takes longer to read. It is valid until the next call.
 */
function codesOf(text: string): Uint8Array | null {
  const codes = text.length < SHARED.length ? SHARED : new Uint8Array(text.length + 1);
  const { read, written } = encoder.encodeInto(text, codes);
  // Every other character takes two bytes or more.
  if (read !== text.length || written !== text.length) return null;
  codes[written] = 0;
  return codes;
}

function kindAt(codes: Uint8Array, at: number): number {
  return KINDS[codes[at] ?? 0] ?? 0;
}

/** The first position from `from` on that is not blank. */
function afterBlanks(codes: Uint8Array, from: number): number {
  let at = from;
  while ((kindAt(codes, at) & BLANK) !== 0) at += 1;
  return at;
}

/** The end of a text that ends at `to`, without the blanks before it. */
function beforeBlanks(codes: Uint8Array, to: number): number {
  let at = to;
  while ((kindAt(codes, at - 1) & BLANK) !== 0) at -= 1;
  return at;
}
