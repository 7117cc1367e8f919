import { MAX_DEPTH, MAX_TEXT_CHARS } from './limits.ts';
import { decodedText, type XmlElement } from './xml.ts';

/** Any other character (accents, returns, controls) is left to the strict parser. */
const PLAIN = /^[\t\n\x20-\x7e]*$/;
const DECLARATION =
  /^<\?xml version="1\.0"(?: encoding="[A-Za-z][\w.-]*")?(?: standalone="(?:yes|no)")? ?\?>/;
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
  const scan: Scan = { open: [document], atLeaf: false };
  // The text after the last tag begins here.
  let from = DECLARATION.exec(xml)?.[0].length ?? 0;
  for (let tag = xml.indexOf('<', from); tag >= 0; tag = xml.indexOf('<', from)) {
    const end = xml.indexOf('>', tag);
    if (end < 0) return null;
    const before = xml.slice(from, tag);
    const content = xml.slice(tag + 1, end);
    const understood = content.startsWith('/') ? close(scan, content, before) : open(scan, content, before);
    if (!understood) return null;
    from = end + 1;
  }
  const isWhole = scan.open.length === 1 && document.children.length === 1 && isBlank(xml.slice(from));
  return isWhole ? (document.children[0] ?? null) : null;
}

type Scan = {
  /** The document, then the elements not yet closed. */
  readonly open: XmlElement[];
  /** The last tag opened an element: text up to its end belongs to it. */
  atLeaf: boolean;
};

function open(scan: Scan, content: string, before: string): boolean {
  const isEmpty = content.endsWith('/');
  const element = elementOf(isEmpty ? content.slice(0, -1) : content);
  const parent = scan.open.at(-1);
  if (element === null || parent === undefined || !isBlank(before) || scan.open.length > MAX_DEPTH)
    return false;
  parent.children.push(element);
  if (!isEmpty) scan.open.push(element);
  scan.atLeaf = !isEmpty;
  return true;
}

function close(scan: Scan, content: string, before: string): boolean {
  const element = scan.open.at(-1);
  if (element === undefined || scan.open.length === 1 || content.slice(1) !== element.name) return false;
  const text = scan.atLeaf ? leafText(before) : isBlank(before) ? '' : null;
  if (text === null) return false;
  element.text = text;
  scan.open.pop();
  scan.atLeaf = false;
  return true;
}

/** Names met before, by themselves: a filing has some thirty, each many times. */
const KNOWN_NAMES = new Map<string, string>();
const MAX_KNOWN_NAMES = 1_000;

function elementOf(tag: string): XmlElement | null {
  const known = KNOWN_NAMES.get(tag);
  if (known !== undefined) return elementNamed(known, NO_ATTRIBUTES);
  if (NAME.test(tag)) return elementNamed(remembered(tag), NO_ATTRIBUTES);
  const trimmed = tag.trimEnd();
  const [, name = '', key = '', value = ''] = ONE_ATTRIBUTE.exec(trimmed) ?? [];
  if (name !== '') return elementNamed(name, { [key]: value });
  return NAME.test(trimmed) ? elementNamed(trimmed, NO_ATTRIBUTES) : null;
}

/** As a key of an object, so that it is one string with the name in our code, and keeps no document in memory. */
function remembered(name: string): string {
  const [own = name] = Object.keys({ [name]: true });
  if (KNOWN_NAMES.size < MAX_KNOWN_NAMES) KNOWN_NAMES.set(own, own);
  return own;
}

function elementNamed(name: string, attributes: XmlElement['attributes']): XmlElement {
  return { name, attributes, text: '', children: [] };
}

function isBlank(text: string): boolean {
  return text.trim() === '';
}

function leafText(text: string): string | null {
  return text.length > MAX_TEXT_CHARS ? null : decodedText(text);
}
