import { MAX_DEPTH, MAX_TEXT_CHARS } from './limits.ts';
import { decodedText, type XmlElement } from './xml.ts';

/** Any other character (accents, returns, controls) is left to the strict parser. */
const PLAIN = /^[\t\n\x20-\x7e]*$/;
const DECLARATION =
  /^<\?xml version="1\.0"(?: encoding="[A-Za-z][\w.-]*")?(?: standalone="(?:yes|no)")? ?\?>/;
const SLASH = 0x2f;
const NAME = /^[A-Za-z_][\w.-]*$/;
const ONE_ATTRIBUTE = /^([A-Za-z_][\w.-]*)[ \n]+([A-Za-z_][\w.-]*)="([^<&"\t\n]*)"$/;
const NO_ATTRIBUTES: Readonly<Record<string, string>> = Object.freeze({});

/**
 * The fast reader, for the XML of nearly all ownership documents: ASCII, at most one attribute, no
 * prefixes, comments, CDATA or mixed content. Everything is checked to be well-formed. Null for any
 * other XML, which the strict parser then accepts or refuses.
 */
export function readPlainElement(xml: string): XmlElement | null {
  if (!PLAIN.test(xml) || xml.includes('<!') || xml.includes(']]>')) return null;
  const document = elementNamed('', NO_ATTRIBUTES);
  const from = DECLARATION.exec(xml)?.[0].length ?? 0;
  const scan: Scan = { xml, open: [document], atLeaf: false, from, tag: xml.indexOf('<', from), end: 0 };
  while (scan.tag >= 0) {
    scan.end = xml.indexOf('>', scan.tag);
    if (scan.end < 0) return null;
    const isUnderstood = xml.charCodeAt(scan.tag + 1) === SLASH ? close(scan) : open(scan);
    if (!isUnderstood) return null;
    scan.from = scan.end + 1;
    scan.tag = xml.indexOf('<', scan.from);
  }
  const isWhole = scan.open.length === 1 && document.children.length === 1;
  return isWhole && isBlank(xml, scan.from, xml.length) ? (document.children[0] ?? null) : null;
}

type Scan = {
  readonly xml: string;
  /** The document, then the elements not yet closed. */
  readonly open: XmlElement[];
  /** The last tag opened an element: text up to its end belongs to it. */
  atLeaf: boolean;
  /** Where the text after the last tag begins, where it ends with the next tag, and where that one ends. */
  from: number;
  tag: number;
  end: number;
};

function open(scan: Scan): boolean {
  const { xml, from, tag, end } = scan;
  const isEmpty = xml.charCodeAt(end - 1) === SLASH;
  const element = elementOf(xml.slice(tag + 1, isEmpty ? end - 1 : end));
  const parent = scan.open[scan.open.length - 1];
  if (element === null || parent === undefined || !isBlank(xml, from, tag)) return false;
  if (scan.open.length > MAX_DEPTH) return false;
  parent.children.push(element);
  if (!isEmpty) scan.open.push(element);
  scan.atLeaf = !isEmpty;
  return true;
}

function close(scan: Scan): boolean {
  const { xml, from, tag, end } = scan;
  const element = scan.open[scan.open.length - 1];
  if (element === undefined || scan.open.length === 1) return false;
  const { name } = element;
  if (end - tag - 2 !== name.length || !xml.startsWith(name, tag + 2)) return false;
  if (scan.atLeaf) {
    const text = leafText(xml.slice(from, tag));
    if (text === null) return false;
    element.text = text;
  } else if (!isBlank(xml, from, tag)) return false;
  scan.open.pop();
  scan.atLeaf = false;
  return true;
}

/** Names met before, by themselves: a filing has some thirty, each many times. */
const KNOWN_NAMES = new Map<string, string>();
const MAX_KNOWN_NAMES = 1_000;

function elementOf(tag: string): XmlElement | null {
  const met = KNOWN_NAMES.get(tag);
  if (met !== undefined) return elementNamed(met, NO_ATTRIBUTES);
  if (NAME.test(tag)) return elementNamed(known(tag), NO_ATTRIBUTES);
  const trimmed = tag.trimEnd();
  const [, name = '', key = '', value = ''] = ONE_ATTRIBUTE.exec(trimmed) ?? [];
  if (name !== '') return elementNamed(known(name), { [key]: value });
  return NAME.test(trimmed) ? elementNamed(known(trimmed), NO_ATTRIBUTES) : null;
}

/** As a key of an object, so that it is one string with the name in our code, and keeps no document in memory. */
function known(name: string): string {
  const met = KNOWN_NAMES.get(name);
  if (met !== undefined) return met;
  const [own = name] = Object.keys({ [name]: true });
  if (KNOWN_NAMES.size < MAX_KNOWN_NAMES) KNOWN_NAMES.set(own, own);
  return own;
}

function elementNamed(name: string, attributes: XmlElement['attributes']): XmlElement {
  return { name, attributes, text: '', children: [] };
}

/** A plain text has no other white space. In place: it is asked before every tag. */
function isBlank(xml: string, from: number, to: number): boolean {
  for (let at = from; at < to; at += 1) {
    const code = xml.charCodeAt(at);
    if (code !== 0x20 && code !== 0x0a && code !== 0x09) return false;
  }
  return true;
}

function leafText(text: string): string | null {
  return text.length > MAX_TEXT_CHARS ? null : decodedText(text);
}
