import { expect, test } from 'vitest';
import { ParseError } from './parse-error.ts';
import { rootName, scanXml } from './xml.ts';

function outcomeOf(xml: string): string {
  let seen = '';
  try {
    scanXml(xml, {
      open: (name) => {
        seen += `<${name}>`;
      },
      text: (text) => {
        seen += text;
      },
      close: (name) => {
        seen += `</${name}>`;
      },
    });
    return seen;
  } catch (error) {
    if (error instanceof ParseError) return error.code;
    throw error;
  }
}

test('any prefix is removed, and character data is complete', () => {
  expect(outcomeOf('<n1:a xmlns:n1="u"><n1:b>A &amp; B<![CDATA[ & C]]></n1:b></n1:a>')).toBe(
    '<a><b>A & B & C</b></a>',
  );
});

test.each([
  ['', 'malformed_xml'],
  ['<a>', 'malformed_xml'],
  ['<a></b>', 'malformed_xml'],
  ['<a>A & B</a>', 'malformed_xml'],
  ['<a>&nbsp;</a>', 'malformed_xml'],
  ['<a>&#9999999;</a>', 'malformed_xml'],
  ['<a/><a/>', 'malformed_xml'],
  ['<a/>text', 'malformed_xml'],
  ['<a b="1" b="2"/>', 'malformed_xml'],
])('%j is refused', (xml, code) => {
  expect(outcomeOf(xml)).toBe(code);
});

test.each([
  '<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>',
  '<!doctype a SYSTEM "file:///etc/passwd"><a/>',
  '<!DOCTYPE l [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;">]><l>&b;</l>',
])('a document type is refused before it is read: %s', (xml) => {
  expect(outcomeOf(xml)).toBe('doctype_refused');
});

test('64 levels are read, 65 are refused, and 200,000 are refused as fast', () => {
  const nested = (levels: number): string => '<a>'.repeat(levels) + '</a>'.repeat(levels);
  expect(outcomeOf(nested(64))).toBe(nested(64));
  expect(outcomeOf(nested(65))).toBe('too_deep');
  expect(outcomeOf(nested(200_000))).toBe('too_deep');
});

test('longer text or more attributes than any schema allows are refused', () => {
  expect(outcomeOf(`<a>${'x'.repeat(65_536)}</a>`)).toHaveLength(65_543);
  expect(outcomeOf(`<a>${'x'.repeat(65_537)}</a>`)).toBe('text_too_long');
  const attributes = Array.from({ length: 10_000 }, (_, i) => `a${i}="1"`).join(' ');
  expect(outcomeOf(`<a ${attributes}/>`)).toBe('too_many_attributes');
});

test('the root is found after declarations and comments', () => {
  expect(rootName('<?xml version="1.0"?>\n<!-- <b> -->\n<?p?><ns1:informationTable xmlns:ns1="u">')).toBe(
    'informationTable',
  );
  expect(rootName('<html>')).toBe('html');
  expect(rootName('plain text')).toBeNull();
  expect(rootName('<!-- never closed')).toBeNull();
});

test('a text is refused before it is put together: ten million references, an attribute of any size', () => {
  const started = performance.now();
  expect(outcomeOf(`<a>${'&#65;'.repeat(10_000_000)}</a>`)).toBe('text_too_long');
  expect(outcomeOf(`<a b="${'&#65;'.repeat(1_000_000)}"/>`)).toBe('text_too_long');
  expect(performance.now() - started).toBeLessThan(5_000);
  const most = '&#x1F600;'.repeat(32_768);
  expect(outcomeOf(`<a>${most}</a>`)).toHaveLength(65_543);
});

test('a reference to half a character is refused', () => {
  expect(outcomeOf('<a>&#xD800;</a>')).toBe('malformed_xml');
});

test('the names of prototypes are names like any other', () => {
  expect(outcomeOf('<__proto__><constructor polluted="1">a</constructor></__proto__>')).toBe(
    '<__proto__><constructor>a</constructor></__proto__>',
  );
  const seen: unknown[] = [];
  const open = (_name: string, _depth: number, attributes: Readonly<Record<string, string>>): void => {
    seen.push(Object.entries(attributes));
  };
  scanXml('<a __proto__="x" constructor="y"/>', { open, text: () => undefined, close: () => undefined });
  expect(seen).toEqual([
    [
      ['__proto__', 'x'],
      ['constructor', 'y'],
    ],
  ]);
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
});
