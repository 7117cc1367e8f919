const KNOWN = /^&(?:amp|lt|gt|quot|apos|#\d{1,7}|#x[\da-fA-F]{1,6});/;
const CDATA_OR_AMPERSAND = /<!\[CDATA\[[\s\S]*?\]\]>|&[^&<\s;]{0,10};?/g;

/**
 * The same document with every `&` that begins no reference of XML written as `&amp;`, so that
 * `Bed Bath & Beyond` and `AT&T` read as they were typed (domain 2.12). A document that is
 * well-formed is given back as it is; nothing else of a malformed one is repaired.
 */
export function withEscapedAmpersands(xml: string): string {
  if (!xml.includes('&')) return xml;
  return xml.replace(CDATA_OR_AMPERSAND, (found) =>
    found.startsWith('<') || KNOWN.test(found) ? found : `&amp;${found.slice(1)}`,
  );
}
