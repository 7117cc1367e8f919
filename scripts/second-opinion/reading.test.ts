import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { documentFiles } from './document-file.ts';
import { readingOf } from './reading.ts';

const FILINGS = fileURLToPath(new URL('../../test/filings/', import.meta.url));
const files = documentFiles(FILINGS);

test('documents are found by their first bytes; lists, notes and code are ignored', () => {
  expect(files.length).toBeGreaterThan(20);
  expect(files.filter(({ path }) => !/\.(txt|xml|nc)$/.test(path))).toEqual([]);
  expect(files).toContainEqual({ path: '13f/0000950123-18-011885.txt', kind: 'submission' });
  expect(files).toContainEqual({ path: 'xml-only/informationTable.xml', kind: 'informationTable' });
});

test('every document is either read or refused with a code of the parsers', () => {
  for (const { path, kind } of files) {
    const reading = readingOf(`${FILINGS}${path}`, kind);
    if (reading.outcome === 'refused') expect(reading.code).toMatch(/^[a-z_]+$/);
    else expect(['thirteen_f', 'ownership', 'cover', 'table']).toContain(reading.filing.kind);
  }
});
