import fc from 'fast-check';
import { expect, test } from 'vitest';
import { IS_LONG } from '../../../test/faults/harness/scenario.ts';
import { filingText } from '../../../test/filings/read.ts';
import { splitSubmission } from '../sgml.ts';
import { asText } from '../source.ts';
import { rootName } from '../xml.ts';
import { readPlainRows, streamRows } from './info-table.ts';

const FILINGS = [
  '0000950123-18-011885.txt',
  '0001000097-20-000004.txt',
  '0001079114-15-000013.txt',
  '0001079114-16-000017.txt',
  '0001092838-17-000003.txt',
  '0001106191-14-000018.txt',
  '0001172661-23-003414.txt',
  '0001619124-21-000002.txt',
  '0001790837-23-000002.txt',
  '0001894188-23-000007.txt',
  '0001951757-25-000093.nc',
];

function tableOf(name: string): string {
  const { documents } = splitSubmission(filingText(`13f/${name}`));
  const [table] = documents.flatMap(({ xml }) =>
    xml !== null && rootName(xml) === 'informationTable' ? [xml] : [],
  );
  return asText(table ?? '');
}

test.each(FILINGS)('the fast reader gives the rows of the strict parser for %s', (name) => {
  const xml = tableOf(name);
  const rows = readPlainRows(xml);
  expect(rows).not.toBeNull();
  expect(rows).toEqual(streamRows(xml));
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
  '\r',
  '\t',
  '\u0001',
];
const MORE = [
  '<figi>BBG000B9XRY4</figi>',
  '<otherManager/>',
  '</infoTable>',
  '<infoTable>',
  ' a="1"',
  '/',
  'x',
  '\ud800',
  '\uffff',
];

test.each(['0001000097-20-000004.txt', '0001619124-21-000002.txt'])(
  'after any mutation of %s, the fast reader declines or agrees with the strict parser',
  (name) => {
    const xml = tableOf(name);
    const edit = fc.record({
      at: fc.nat(xml.length),
      remove: fc.oneof(fc.constant(0), fc.nat(30)),
      insert: fc.constantFrom('', ...INSERTS, ...MORE),
    });
    let agreed = 0;
    fc.assert(
      fc.property(edit, ({ at, remove, insert }) => {
        const edited = xml.slice(0, at) + insert + xml.slice(at + remove);
        const fast = attempt(() => readPlainRows(edited));
        // Characters that UTF-8 does not have never come from bytes.
        if (!edited.includes('\ud800'))
          expect(attempt(() => readPlainRows(Buffer.from(edited)))).toEqual(fast);
        if (fast === null || typeof fast === 'string') return;
        expect(fast).toEqual(streamRows(edited));
        agreed += 1;
      }),
      { numRuns: IS_LONG ? 50_000 : 1500 },
    );
    expect(agreed).toBeGreaterThan(20);
  },
  1_800_000,
);

function attempt<T>(run: () => T): T | string {
  try {
    return run();
  } catch (error) {
    return String(error);
  }
}

test('a table of many pieces gives the rows of the strict parser, as text and as bytes', () => {
  const xml = tableOf('0001619124-21-000002.txt');
  const [row = ''] = /<ns1:infoTable>[\s\S]*?<\/ns1:infoTable>/.exec(xml) ?? [];
  const named = (index: number): string =>
    row.replace(/(<ns1:nameOfIssuer>)[^<]*/, `$1${'Ünï €'.repeat(index % 90)} &amp; ${index}`);
  const rows = Array.from({ length: 1_500 }, (_, index) => named(index)).join('\n');
  const long = xml.replace(row, () => rows);
  const read = readPlainRows(long);
  expect(read?.length).toBeGreaterThan(1_500);
  expect(read).toEqual(streamRows(long));
  expect(readPlainRows(Buffer.from(long))).toEqual(read);
  // An error in the last piece, and what is no row in the middle of one.
  const broken = long.replace(' 1499<', ' 1499&<');
  for (const source of [broken, Buffer.from(broken)]) expect(readPlainRows(source)).toBeNull();
  const odd = long.replace(' 700</ns1:nameOfIssuer>', ' 700</ns1:nameOfIssuer><!-- -->');
  for (const source of [odd, Buffer.from(odd)]) expect(readPlainRows(source)).toBeNull();
});

test('rows in a comment, an attribute or another document are not read', () => {
  const xml = tableOf('0001619124-21-000002.txt');
  const head = /^[\s\S]*?<ns1:informationTable[^>]*>/.exec(xml)?.[0] ?? '';
  expect(readPlainRows(`<!-- ${xml} -->`)).toBeNull();
  expect(readPlainRows(xml.replace(head, `${head}<!--`))).toBeNull();
  expect(readPlainRows(`${xml}<x/>`)).toBeNull();
  expect(readPlainRows(xml.replace('</ns1:informationTable>', ''))).toBeNull();
  expect(() =>
    readPlainRows(xml.replace('<ns1:informationTable ', '<ns1:informationTable a="1" a="2" ')),
  ).toThrow(/malformed_xml/);
});
