import { MAX_FIELD_CHARS, MAX_TREE_CHARS, ParseError } from './parse-error.ts';
import { readPlainElement } from './plain-element.ts';
import { elementNamed, localName, scanXml, textOf, type XmlElement } from './xml.ts';

/**
 * Reads a cover page or an ownership document as a tree; the root must have the given name.
 * Throws `too_large`, `wrong_root` and what {@link scanXml} throws.
 */
export function readElement(xml: string, root: string): XmlElement {
  if (xml.length > MAX_TREE_CHARS) throw new ParseError('too_large', `<${root}> of ${xml.length} characters`);
  const found = readPlainElement(xml) ?? scanElement(xml);
  if (found.name === root) return found;
  throw new ParseError('wrong_root', `<${found.name.slice(0, 40)}>, expected <${root}>`);
}

/** The strict reader, for any well-formed document. */
export function scanElement(xml: string): XmlElement {
  const document = elementNamed('', {});
  /** The open elements, and the last child of each so far. */
  const open = [document];
  const last: (XmlElement | null)[] = [null];
  let current = document;
  scanXml(xml, {
    open: (name, _depth, attributes) => {
      const element = elementNamed(name, attributes);
      const previous = last.pop() ?? null;
      if (previous === null) current.first = element;
      else previous.next = element;
      last.push(element, null);
      open.push(element);
      current = element;
    },
    text: (text) => {
      current.source += text;
    },
    close: () => {
      current.source = current.source.trim();
      current.to = current.source.length;
      open.pop();
      last.pop();
      current = open.at(-1) ?? document;
    },
  });
  if (document.first === null) throw new ParseError('malformed_xml', 'no root element');
  return document.first;
}

/** Follows the first child of each name; null when one is absent. */
export function at(element: XmlElement | null, ...path: readonly string[]): XmlElement | null {
  let current = element;
  for (const name of path) current = childOf(current, name);
  return current;
}

/**
 * The first child of a name; null when it, or the element, is absent. A loop over one name, not `find` over
 * a path: it runs some forty times for every row of an ownership document.
 */
export function childOf(element: XmlElement | null, name: string): XmlElement | null {
  for (let child = element?.first ?? null; child !== null; child = child.next) {
    if (child.name === name) return child;
  }
  return null;
}

/** The children of a name, or all, in document order. */
export function childrenOf(element: XmlElement | null, name?: string): readonly XmlElement[] {
  const found: XmlElement[] = [];
  for (let child = element?.first ?? null; child !== null; child = child.next) {
    if (name === undefined || child.name === name) found.push(child);
  }
  return found;
}

/**
 * Trimmed text of the first child of a name, of the `<value>` inside where ownership documents have one; null when
 * blank. Throws `text_too_long` for more than a name or a number has (rule 1.8).
 */
export function textAt(element: XmlElement | null, name: string): string | null {
  const text = proseAt(element, name);
  if (text === null || text.length <= MAX_FIELD_CHARS) return text;
  throw new ParseError('text_too_long', `<${name}> has ${text.length} characters`);
}

/** The same for a text that may be long. */
export function proseAt(element: XmlElement | null, name: string): string | null {
  const found = childOf(element, name);
  if (found === null) return null;
  return textOf(childOf(found, 'value') ?? found) || null;
}

/** An attribute by its local name. */
export function attributeOf(element: XmlElement, name: string): string | null {
  const plain = element.attributes[name];
  if (plain !== undefined) return plain;
  const prefixed = Object.keys(element.attributes).find((key) => localName(key) === name);
  return prefixed === undefined ? null : (element.attributes[prefixed] ?? null);
}
