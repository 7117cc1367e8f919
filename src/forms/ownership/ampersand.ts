const KNOWN = /^&(?:amp|lt|gt|quot|apos|#\d{1,7}|#x[\da-fA-F]{1,6});/;
const AMPERSAND = /&[^&<\s;]{0,10};?/g;
const CDATA = '<![CDATA[';
const CDATA_END = ']]>';

/**
 * The same document with every `&` that begins no reference of XML written as `&amp;`, so that
 * `Bed Bath & Beyond` and `AT&T` read as they were typed (rule 6.1). A document that is
 * well-formed is given back as it is; nothing else of a malformed one is repaired. One pass: what
 * follows a CDATA section that never ends is left as it is, for the reader to refuse.
 */
export function withEscapedAmpersands(xml: string): string {
  if (!xml.includes('&')) return xml;
  const parts: string[] = [];
  let at = 0;
  while (at < xml.length) {
    const start = indexOrEnd(xml, CDATA, at);
    const close = xml.indexOf(CDATA_END, start + CDATA.length);
    const end = close === -1 ? xml.length : close + CDATA_END.length;
    parts.push(xml.slice(at, start).replace(AMPERSAND, escaped), xml.slice(start, end));
    at = end;
  }
  return parts.join('');
}

function indexOrEnd(xml: string, text: string, from: number): number {
  const found = xml.indexOf(text, from);
  return found === -1 ? xml.length : found;
}

function escaped(found: string): string {
  return KNOWN.test(found) ? found : `&amp;${found.slice(1)}`;
}
