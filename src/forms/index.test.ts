import fc from 'fast-check';
import { expect, test } from 'vitest';
import { filingBytes, filingText, outcomeOf } from '../../test/filings/read.ts';
import { runs } from '../../test/runs.ts';
import type { Accession } from '../domain/ids.ts';
import { FORMS, formFor, PARSE_ERRORS, ParseError, parseFiling } from './index.ts';

const REPORT = '13f/0001619124-21-000002.txt';
const FORM_4 = 'form-4/0001214659-20-002786.txt';

test('the carried forms are found by their exact EDGAR type', () => {
  const carried = FORMS.flatMap(({ carries }) => carries);
  expect(carried).toEqual(['4', '4/A', '13F-HR', '13F-HR/A', '13F-NT', '13F-NT/A']);
  expect(formFor(FORMS, '4/A')?.isEvent).toBe(true);
  expect(formFor(FORMS, '13F-NT')?.isEvent).toBe(false);
  for (const other of ['3', '5', '424B2', '40-F', '13F', '13f-hr', ''])
    expect(formFor(FORMS, other)).toBeNull();
  for (const { parserVersion } of FORMS) expect(parserVersion).toMatch(/^[a-z0-9-]+$/);
});

test('Forms 3 and 5 are not carried', () => {
  expect(outcomeOf('form-4/0001214659-20-002308.txt')).toBe('unsupported_form');
});

test('the received accession number must be the requested one', () => {
  const bytes = filingBytes(FORM_4);
  expect(parseFiling(bytes, '0001214659-20-002786' as Accession).header.form).toBe('4');
  expect(() => parseFiling(bytes, '0001214659-20-002787' as Accession)).toThrow(/accession_mismatch/);
});

test('an error is never retried, and its public sentence quotes nothing of the filing', () => {
  try {
    parseFiling(new TextEncoder().encode('<html>secret</html>'));
    expect.unreachable();
  } catch (error) {
    expect(error).toBeInstanceOf(ParseError);
    expect(error).toMatchObject({ code: 'not_a_submission', retry: false, status: 422 });
    expect((error as ParseError).public).toBe(PARSE_ERRORS.not_a_submission);
  }
});

test.each([
  ['nothing', ''],
  ['a block page', '<!DOCTYPE html>\n<html><head><title>Request Rate Threshold Exceeded</title>'],
  ['an error in JSON', '{"message":"Internal server error"}'],
  ['a PDF', '%PDF-1.4\n%âãÏÓ\n1 0 obj'],
  ['blanks', ' \r\n\t '],
])('%s is no filing', (_, text) => {
  expect(outcomeOf(Buffer.from(text, 'latin1'))).toBe('not_a_submission');
});

test('parts that are pictures or other documents change nothing of what is read (rule 1.7)', () => {
  const text = filingText(REPORT);
  const picture = `<DOCUMENT>\n<TYPE>GRAPHIC\n<SEQUENCE>9\n<FILENAME>logo.jpg\n<TEXT>\nbegin 644 logo.jpg\nM_]C_X  02D9)1@ ! 0   0 !  #_VP!#  @&!@<&!0@'!P<)"0@*#!0-# L+\nend\n</TEXT>\n</DOCUMENT>\n`;
  const note = picture.replace(/begin[\s\S]*end/, '<XML>\n<exhibit>no table</exhibit>\n</XML>');
  const first = text.indexOf('<DOCUMENT>');
  expect(outcomeOf(text.slice(0, first) + picture + note + text.slice(first))).toEqual(outcomeOf(text));
});

test('the same bytes give the same filing', () => {
  expect(parseFiling(filingBytes(FORM_4))).toEqual(parseFiling(filingBytes(FORM_4)));
});

test('a report cut at every kilobyte never gives rows', () => {
  const bytes = filingBytes('13f/0000950123-18-011885.txt');
  for (let end = 0; end < bytes.length - 20; end += 1024) {
    expect(['truncated', 'not_a_submission'], `at ${end}`).toContain(outcomeOf(bytes.subarray(0, end)));
  }
});

test('a table cut at every kilobyte inside an intact container never gives rows', () => {
  const text = filingText('13f/0000950123-18-011885.txt');
  const start = text.lastIndexOf('<XML>') + 5;
  const end = text.lastIndexOf('</XML>');
  for (let at = start; at < end - 25; at += 1024) {
    const cut = text.slice(0, at) + text.slice(end);
    expect(['malformed_xml', 'wrong_root'], `at ${at}`).toContain(outcomeOf(cut));
  }
});

test.each([REPORT, FORM_4])('%s with a document type in its XML is refused', (name) => {
  const text = filingText(name).replace(/<XML>\s*<\?xml[^>]*>/, '<XML><!DOCTYPE x [<!ENTITY a "b">]>');
  expect(outcomeOf(text)).toMatch(/doctype_refused|cover_missing|wrong_root/);
});

test.each([REPORT, FORM_4, '13f/0001951757-25-000093.nc', '13f/0000941302-00-000168.txt'])(
  'mutations of %s parse or throw a ParseError, nothing else',
  { tags: ['property'] },
  (name) => {
    const original = filingBytes(name);
    const edit = fc.record({
      at: fc.nat(original.length - 1),
      remove: fc.nat(40),
      insert: fc.oneof(
        fc.uint8Array({ maxLength: 8 }),
        fc
          .constantFrom(
            '<',
            '>',
            '&',
            '</',
            '<value>',
            '<!--',
            ']]>',
            '<XML>',
            '</TEXT>',
            '\n',
            '-',
            '9',
            '\u00e9',
          )
          .map((text) => new TextEncoder().encode(text)),
      ),
    });
    fc.assert(
      fc.property(fc.array(edit, { minLength: 1, maxLength: 4 }), (edits) => {
        let bytes = Buffer.from(original);
        for (const { at, remove, insert } of edits) {
          bytes = Buffer.concat([bytes.subarray(0, at), insert, bytes.subarray(at + remove)]);
        }
        const outcome = outcomeOf(bytes);
        if (typeof outcome === 'string') expect(PARSE_ERRORS).toHaveProperty(outcome);
      }),
      { numRuns: runs(300) },
    );
  },
);
