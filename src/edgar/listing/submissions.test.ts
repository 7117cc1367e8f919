import { expect, test } from 'vitest';
import { parseSubmissions, parseSubmissionsPage } from './submissions.ts';

const columns = {
  accessionNumber: ['0000320193-22-000061', '0000320193-22-000060'],
  filingDate: ['2022-05-06', '2022-05-05'],
  form: ['4', '8-K'],
  reportDate: ['2022-05-04', ''],
};
const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

test('the newest filings and the names of further pages are read', () => {
  const files = [{ name: 'CIK0000320193-submissions-001.json', filingCount: 1150 }];
  const read = parseSubmissions(
    json({ cik: '320193', name: 'Apple Inc.', filings: { recent: columns, files } }),
  );
  expect(read.company).toBe('Apple Inc.');
  expect(read.pages).toEqual(['CIK0000320193-submissions-001.json']);
  expect(read.filings[0]).toEqual({ accession: '0000320193-22-000061', form: '4', filedDate: '2022-05-06' });
  expect(parseSubmissionsPage(json(columns))).toEqual(read.filings);
});

test.each([
  ['columns of different length, which would give filings another form', { ...columns, form: ['4'] }],
  ['a number that is none', { ...columns, accessionNumber: ['1', '2'] }],
  ['another shape', { filings: [] }],
])('%s are refused', (_name, page) => {
  expect(() => parseSubmissionsPage(json(page))).toThrow('the list of submissions cannot be read');
});

test('a page that is no JSON is refused', () => {
  expect(() => parseSubmissions(Buffer.from('<html>'))).toThrow('cannot be read');
});
