/** An `&` that does not begin a reference of XML. */
const BARE = /&(?!(?:amp|lt|gt|quot|apos|#\d{1,7}|#x[\da-fA-F]{1,6});)/g;
const BARE_HERE = /&(?!(?:amp|lt|gt|quot|apos|#\d{1,7}|#x[\da-fA-F]{1,6});)/y;
const CDATA = '<![CDATA[';
const CDATA_END = ']]>';

/**
 * Writes `&amp;` for every `&` that does not begin a reference of XML, so that `Bed Bath & Beyond` and
 * `AT&T` read as they were typed (rule 6.1). A well-formed document stays as it is, and nothing else of
 * a malformed one is repaired. One pass: text after a CDATA section that never ends stays as it is, and
 * the reader refuses it.
 */
export function withEscapedAmpersands(xml: string): string {
  if (!hasBareAmpersand(xml)) return xml;
  const parts: string[] = [];
  let at = 0;
  while (at < xml.length) {
    const start = indexOrEnd(xml, CDATA, at);
    const close = xml.indexOf(CDATA_END, start + CDATA.length);
    const end = close === -1 ? xml.length : close + CDATA_END.length;
    parts.push(xml.slice(at, start).replace(BARE, '&amp;'), xml.slice(start, end));
    at = end;
  }
  return parts.join('');
}

/** Looks at the few `&` alone: few documents have a bare one. */
function hasBareAmpersand(xml: string): boolean {
  for (let at = xml.indexOf('&'); at >= 0; at = xml.indexOf('&', at + 1)) {
    BARE_HERE.lastIndex = at;
    if (BARE_HERE.test(xml)) return true;
  }
  return false;
}

function indexOrEnd(xml: string, text: string, from: number): number {
  const found = xml.indexOf(text, from);
  return found === -1 ? xml.length : found;
}
