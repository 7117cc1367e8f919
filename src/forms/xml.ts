import { SaxesParser } from 'saxes';
import { MAX_ATTRIBUTES, MAX_DEPTH, MAX_TEXT_CHARS, ParseError } from './parse-error.ts';
import { firstChars, type Source } from './source.ts';

/** Receives local names, because SEC documents may use any prefix. */
type XmlHandler = {
  /** `depth` is 1 for the root. */
  readonly open: (name: string, depth: number, attributes: Readonly<Record<string, string>>) => void;
  readonly text: (text: string) => void;
  readonly close: (name: string, depth: number) => void;
};

/**
 * One element of a small document. Names are local. Its text, without that of its children, joined and trimmed,
 * is a part of `source`: {@link textOf} cuts it out, because most texts of a document are never asked for.
 */
export type XmlElement = {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  source: string;
  from: number;
  to: number;
  /** The children are a chain: the first, and from each to the next. */
  first: XmlElement | null;
  next: XmlElement | null;
};

export function elementNamed(name: string, attributes: XmlElement['attributes']): XmlElement {
  return { name, attributes, source: '', from: 0, to: 0, first: null, next: null };
}

export function textOf({ source, from, to }: XmlElement): string {
  return source.slice(from, to);
}

/**
 * Streams a whole, strictly well-formed XML document. Document types are refused before parsing, so
 * that no entity is ever declared. Depth, attributes and text are limited (rule 1.8).
 * A caller must not use what it collected before this returns.
 * Throws `doctype_refused`, `malformed_xml`, `too_deep`, `too_many_attributes`, `text_too_long`.
 */
export function scanXml(xml: string, handler: XmlHandler): void {
  if (/<!(DOCTYPE|ENTITY)/i.test(xml)) throw new ParseError('doctype_refused', 'a declaration in the XML');
  requireShortStretches(xml);
  const parser = configured(handler);
  try {
    parser.write(xml).close();
  } catch (error) {
    if (error instanceof ParseError) throw error;
    const reason = error instanceof Error ? error.message.slice(0, 200) : 'unknown';
    throw new ParseError('malformed_xml', reason, error);
  }
}

/** A text of the most characters, each written as a reference such as `&#x1F600;`. */
const MAX_STRETCH = 10 * MAX_TEXT_CHARS;

/** Ahead of the parser, which joins a whole text, reference by reference, before its length is known. */
function requireShortStretches(xml: string): void {
  let from = 0;
  while (from < xml.length) {
    const found = xml.indexOf('<', from);
    const end = found < 0 ? xml.length : found;
    if (end - from > MAX_STRETCH)
      throw new ParseError('text_too_long', `${end - from} characters before a tag`);
    from = end + 1;
  }
}

function configured(handler: XmlHandler): SaxesParser {
  // `xmlns` is quadratic in depth, and `position` costs a pass over every line.
  const parser = new SaxesParser({ xmlns: false, position: false });
  let depth = 0;
  let attributes = 0;
  const text = (content: string): void => {
    if (content.length > MAX_TEXT_CHARS)
      throw new ParseError('text_too_long', `${content.length} characters`);
    handler.text(content);
  };
  parser.on('attribute', () => {
    attributes += 1;
    if (attributes > MAX_ATTRIBUTES)
      throw new ParseError('too_many_attributes', `more than ${MAX_ATTRIBUTES}`);
  });
  parser.on('opentag', (tag) => {
    attributes = 0;
    depth += 1;
    if (depth > MAX_DEPTH) throw new ParseError('too_deep', `more than ${MAX_DEPTH} levels`);
    handler.open(localName(tag.name), depth, tag.attributes);
  });
  parser.on('text', text);
  parser.on('cdata', text);
  parser.on('closetag', (tag) => {
    handler.close(localName(tag.name), depth);
    depth -= 1;
  });
  return parser;
}

export function localName(name: string): string {
  const colon = name.indexOf(':');
  return colon < 0 ? name : name.slice(colon + 1);
}

const REFERENCE = /&(?:amp|lt|gt|quot|apos);/g;
const CHARACTERS: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&apos;': "'",
};

/** Text with the five references that XML itself defines decoded; null when it has any other. */
export function decodedText(text: string): string | null {
  if (!text.includes('&')) return text;
  if (text.replace(REFERENCE, '').includes('&')) return null;
  return text.replace(REFERENCE, (name) => CHARACTERS[name] ?? name);
}

/** The local name of the first element, without parsing; null when there is none near the start. */
export function rootName(xml: Source): string | null {
  let rest = firstChars(xml, 4096).trimStart();
  for (let skipped = prologue(rest); skipped > 0; skipped = prologue(rest)) {
    rest = rest.slice(skipped).trimStart();
  }
  const name = /^<([A-Za-z_][\w.:-]*)/.exec(rest)?.[1];
  return name === undefined ? null : localName(name);
}

/** Length of the declaration, instruction or comment at the start. */
function prologue(text: string): number {
  const end = text.startsWith('<?') ? '?>' : '-->';
  if (!text.startsWith('<?') && !text.startsWith('<!--')) return 0;
  const at = text.indexOf(end);
  return at < 0 ? 0 : at + end.length;
}
