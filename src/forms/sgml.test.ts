import { expect, test } from 'vitest';
import { filingBytes, filingText } from '../../test/filings/read.ts';
import { ParseError } from './parse-error.ts';
import { headerOf, splitSubmission } from './sgml.ts';

function codeOf(text: string): string {
  try {
    return splitSubmission(text).header.form;
  } catch (error) {
    if (error instanceof ParseError) return error.code;
    throw error;
  }
}

test('the header of a report gives its ids, dates and filer', () => {
  const { header, documents } = splitSubmission(filingText('13f/0000950123-18-011885.txt'));
  expect(header).toEqual({
    accession: '0000950123-18-011885',
    form: '13F-HR',
    filedDate: '2018-11-14',
    acceptedAt: '2018-11-14T21:04:59Z',
    periodOfReport: '2018-09-30',
    filers: [{ role: 'filer', cik: '0001067983', name: 'BERKSHIRE HATHAWAY INC', fileNumber: '028-04545' }],
  });
  expect(documents.map(({ type, sequence, filename }) => [type, sequence, filename])).toEqual([
    ['13F-HR', '1', 'primary_doc.xml'],
    ['INFORMATION TABLE', '2', 'form13fInfoTable.xml'],
  ]);
});

test('an ownership header names the issuer and every owner, not their former names', () => {
  const { filers } = splitSubmission(filingText('form-4/0001493152-25-009612.txt')).header;
  expect(filers.map(({ role }) => role).sort()).toEqual(['issuer', ...Array(8).fill('reporting_owner')]);
  expect(filers[0]).toMatchObject({
    name: 'SOFTBANK GROUP CORP.',
    cik: '0001065521',
    fileNumber: '001-40143',
  });
  expect(filers.find(({ role }) => role === 'issuer')?.name).toBe('Better Home & Finance Holding Co');
});

test('the mail envelope used before 2009 is removed', () => {
  const { header, documents } = splitSubmission(filingText('13f/0000941302-00-000168.txt'));
  expect(header).toMatchObject({ form: '13F-HR', acceptedAt: null, filedDate: '2000-05-12' });
  expect(documents).toHaveLength(1);
  expect(documents[0]?.xml).toBeNull();
  expect(documents[0]?.text).not.toMatch(/^- -/m);
});

test('the container IMS of the 1990s reads like SEC', () => {
  const text = filingText('13f/0000941302-00-000168.txt').replaceAll('SEC-', 'IMS-');
  expect(splitSubmission(text)).toEqual(splitSubmission(filingText('13f/0000941302-00-000168.txt')));
});

test('the tagged header of the dissemination feed reads like the text header, without a time', () => {
  expect(splitSubmission(filingText('form-4/0001127602-25-004598.nc')).header).toEqual({
    accession: '0001127602-25-004598',
    form: '4',
    filedDate: '2025-02-13',
    acceptedAt: null,
    periodOfReport: '2025-02-12',
    filers: [
      {
        role: 'reporting_owner',
        cik: '0001870985',
        name: 'Jean-Claude Carine Lamercie',
        fileNumber: '001-04482',
      },
      { role: 'issuer', cik: '0000007536', name: 'ARROW ELECTRONICS, INC.', fileNumber: null },
    ],
  });
});

test('100,000 sections that are never closed cost one pass, and the closed ones are read', () => {
  const text = filingText('form-4/0001127602-25-004598.nc');
  const never = '<FILER>\n<FILED-BY>\n'.repeat(50_000);
  const started = performance.now();
  const { header } = splitSubmission(text.replace('<SUBMISSION>', `<SUBMISSION>\n${never}`));
  expect(performance.now() - started).toBeLessThan(2_000);
  expect(header).toEqual(splitSubmission(text).header);
});

test('Windows line ends change nothing', () => {
  const text = filingText('form-4/0000814585-20-000025.txt');
  expect(splitSubmission(text.replaceAll('\n', '\r\n')).header).toEqual(splitSubmission(text).header);
});

test.each([
  ['<!DOCTYPE html><html><h1>Your Request Originates from an Undeclared Automated Tool</h1></html>'],
  ['<html><body>Request Rate Threshold Exceeded</body></html>'],
  ['{"message":"Internal server error"}'],
  ['%PDF-1.7 ...'],
  ['   '],
  [''],
  ['<?xml version="1.0"?><ownershipDocument/>'],
  ['-----BEGIN PRIVACY-ENHANCED MESSAGE-----\n-----END PRIVACY-ENHANCED MESSAGE-----'],
])('%s is not a submission', (text) => {
  expect(codeOf(text)).toBe('not_a_submission');
});

test('a file that ends early, anywhere, is truncated', () => {
  expect(codeOf(filingText('13f/truncated-after-header.txt'))).toBe('truncated');
  const text = filingText('13f/0000950123-18-011885.txt');
  expect(codeOf(text.replace('</SEC-DOCUMENT>', ''))).toBe('truncated');
  const second = text.lastIndexOf('<DOCUMENT>');
  expect(codeOf(`${text.slice(0, second)}</SEC-DOCUMENT>`)).toBe('truncated');
});

test.each([
  [/^ACCESSION NUMBER:.*$/m, ''],
  [/^CONFORMED SUBMISSION TYPE:.*$/m, ''],
  [/^FILED AS OF DATE:.*$/m, 'FILED AS OF DATE:\t20181399'],
  [/<ACCEPTANCE-DATETIME>.*/, '<ACCEPTANCE-DATETIME>20181314160459'],
  [/^CONFORMED PERIOD OF REPORT:.*$/m, 'CONFORMED PERIOD OF REPORT:\t20180931'],
])('a header without a readable %s is invalid', (field, replacement) => {
  const text = filingText('13f/0000950123-18-011885.txt').replace(field, replacement);
  expect(codeOf(text)).toBe('header_invalid');
});

test('an accession number that differs within the file is refused', () => {
  const text = filingText('13f/0000950123-18-011885.txt').replace(
    '0000950123-18-011885',
    '0000950123-18-011886',
  );
  expect(codeOf(text)).toBe('accession_mismatch');
});

test('the header of a submission is read whatever else is wrong with it', () => {
  const bytes = filingBytes('form-4/0001225259-06-000003.txt');
  const header = headerOf(bytes);
  expect(header).toMatchObject({ accession: '0001225259-06-000003', form: '4' });
  expect(header?.filers.map(({ role }) => role)).toContain('issuer');
  const cut = bytes.subarray(0, Buffer.from(bytes).indexOf('<DOCUMENT>') + 20);
  expect(headerOf(cut)).toEqual(header);
  const latin = Buffer.from(bytes);
  latin[latin.indexOf('COMPANY CONFORMED NAME') + 30] = 0xc9;
  expect(headerOf(latin)?.accession).toBe('0001225259-06-000003');
  expect(headerOf(Buffer.from('<html>'))).toBeNull();
  expect(headerOf(new Uint8Array())).toBeNull();
});
