import fc from 'fast-check';
import { expect, test } from 'vitest';
import { IS_LONG } from '../../test/faults/harness/scenario.ts';
import { filingText } from '../../test/filings/read.ts';
import { childrenOf, scanElement } from './element.ts';
import { readPlainElement } from './plain-element.ts';
import { splitSubmission } from './sgml.ts';
import { asText } from './source.ts';
import { textOf, type XmlElement } from './xml.ts';

const FILINGS = [
  '0000320193-22-000061.txt',
  '0000807249-20-000018.txt',
  '0000814585-20-000025.txt',
  '0001079973-25-000129.txt',
  '0001179706-14-000057.txt',
  '0001209191-06-055343.txt',
  '0001214659-20-002786.txt',
  '0001493152-25-009612.txt',
];

function xmlOf(name: string): string {
  return asText(splitSubmission(filingText(`form-4/${name}`)).documents[0]?.xml ?? '');
}

/** All that can be asked of an element. */
function treeOf(element: XmlElement): unknown {
  const { name, attributes } = element;
  return { name, attributes, text: textOf(element), children: childrenOf(element).map(treeOf) };
}

function fastTreeOf(xml: string): unknown {
  const element = readPlainElement(xml);
  return element === null ? null : treeOf(element);
}

test.each(FILINGS)('the fast reader reads %s and gives the tree of the strict parser', (name) => {
  const xml = xmlOf(name);
  const tree = fastTreeOf(xml);
  expect(tree).not.toBeNull();
  expect(tree).toEqual(treeOf(scanElement(xml)));
});

const INSERTS = [
  '<',
  '>',
  '&',
  '&amp;',
  '&#65;',
  '&bad;',
  ']]>',
  '<!-- x -->',
  '<![CDATA[x]]>',
  '<?p?>',
  '\r',
  '\u0001',
];
const MORE = [
  '<a>',
  '</a>',
  '<a/>',
  '<b id="1"/>',
  '<b id="1" id="2"/>',
  "<b id='1'/>",
  ' a="1"',
  '/',
  'x',
  ' ',
  '\u00e9',
  '=',
  '"',
];

test('the fast reader either declines any changed Form 4 or agrees with the strict parser', () => {
  const xml = xmlOf('0001214659-20-002786.txt');
  const edit = fc.record({
    at: fc.nat(xml.length),
    remove: fc.oneof(fc.constant(0), fc.nat(12)),
    insert: fc.constantFrom('', ...INSERTS, ...MORE),
  });
  let agreed = 0;
  fc.assert(
    fc.property(edit, ({ at, remove, insert }) => {
      const edited = xml.slice(0, at) + insert + xml.slice(at + remove);
      const tree = fastTreeOf(edited);
      if (tree === null) return;
      expect(tree).toEqual(treeOf(scanElement(edited)));
      agreed += 1;
    }),
    { numRuns: IS_LONG ? 100_000 : 3000 },
  );
  expect(agreed).toBeGreaterThan(100);
}, 1_800_000);

test.each([
  '<a>x',
  '<a></b>',
  '<a/><a/>',
  '<a/>x',
  'x<a/>',
  '<a/>\0',
  '<a>\0</a>',
  '<a>x]]></a>',
  '<a',
  '<a></a',
  '<aa></a>',
  '<a></aa>',
  '<a></a >',
  '<1a/>',
  '<n:a/>',
  '<a b="1" c="2"/>',
  '</a>',
  '<a b="1" b="1"/>',
  '<a b="<"/>',
  '<a>x<b/></a>',
  '<a>&</a>',
  '<?xml version="1.0" foo?><a/>',
  '<!DOCTYPE a><a/>',
  '',
])('it declines %j', (xml) => {
  expect(readPlainElement(xml)).toBeNull();
});

test('the fast reader declines documents over the limits', () => {
  expect(readPlainElement('<a>'.repeat(64) + '</a>'.repeat(64))).not.toBeNull();
  expect(readPlainElement('<a>'.repeat(65) + '</a>'.repeat(65))).toBeNull();
  expect(readPlainElement(`<a>${'x'.repeat(65_537)}</a>`)).toBeNull();
  expect(readPlainElement(`<a>${' '.repeat(65_537)}</a>`)).toBeNull();
  for (const parts of [
    ['<a>', '<b/></a>'],
    ['<a><b/>', '<b/></a>'],
    ['<a><b/>', '</a>'],
    ['<a/>', ''],
  ]) {
    expect(readPlainElement(parts.join(' '.repeat(65_536)))).not.toBeNull();
    expect(readPlainElement(parts.join(' '.repeat(65_537)))).toBeNull();
  }
});

test('what a document reads as does not depend on those read before', () => {
  const trees = FILINGS.map((name) => fastTreeOf(xmlOf(name)));
  const many = (from: number): string =>
    `<a>${Array.from({ length: 700 }, (_, index) => `<b${from + index} c="${from + index}"/>`).join('')}</a>`;
  for (const from of [0, 700, 1400, 2100]) {
    const tree = fastTreeOf(many(from));
    if (tree !== null) expect(tree).toEqual(treeOf(scanElement(many(from))));
    for (const [index, name] of [...FILINGS.entries()].reverse()) {
      const again = fastTreeOf(xmlOf(name));
      if (again !== null) expect(again).toEqual(trees[index]);
    }
  }
  expect(FILINGS.map((name) => fastTreeOf(xmlOf(name)))).toEqual(trees);
});

test('a text is trimmed, with its references decoded', () => {
  const xml = '<a>\n<b> x &lt; y&amp;&quot; </b> <c>\t\n</c><d/><e f="1" >a > b] ]></e></a>';
  expect(fastTreeOf(xml)).toEqual(treeOf(scanElement(xml)));
  expect(childrenOf(readPlainElement(xml)).map(textOf)).toEqual(['x < y&"', '', '', 'a > b] ]>']);
});
