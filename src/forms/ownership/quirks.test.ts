import { describe, expect, test } from 'vitest';
import { constructedSubmission, filingText, outcomeOf, ownershipOf } from '../../../test/filings/read.ts';
import { MAX_TREE_CHARS } from '../parse-error.ts';
import { splitSubmission } from '../sgml.ts';
import { asText } from '../source.ts';
import { parseOwnershipXml, withEscapedAmpersands } from './document.ts';

/** Purchases of a director of FICO; every change of it below is synthetic. */
const REES = 'form-4/0001214659-20-002786.txt';
const text = filingText(REES);
const changed = (from: string | RegExp, to: string): string => {
  const result = text.replace(from, to);
  expect(result).not.toBe(text);
  return result;
};

describe('the envelope', () => {
  test('is skipped: the document is found by its root inside the SGML submission (rule 1.7)', () => {
    const [document] = splitSubmission(text).documents;
    expect(document?.xml).toMatch(/^<\?xml/);
    expect(ownershipOf(text).rows).toHaveLength(6);
  });

  test('of another document before the form does not hide it (rule 1.7)', () => {
    const xml = asText(splitSubmission(text).documents[0]?.xml ?? '');
    const container = { form: '4', period: '20200318', filed: '20200320' };
    const documents = [
      ['EX-24', '<exhibit>Power of attorney</exhibit>'],
      ['4', xml],
    ] as const;
    expect(ownershipOf(constructedSubmission({ ...container, documents })).issuer.symbol).toBe('FICO');
  });
});

describe('a text longer than any real one', () => {
  const long = ' '.repeat(60_000);
  test.each([
    ['a symbol', /<issuerTradingSymbol>/, `<issuerTradingSymbol>A${long}B`],
    ['a name', /<rptOwnerName>/, `<rptOwnerName>A${long}B`],
    ['a title', /<officerTitle>/, `<officerTitle>A${long}B`],
    ['a security', /<securityTitle>\s*<value>/, `<securityTitle><value>A${long}B`],
  ])('in %s is refused, because what reads it takes more than linear time (rule 1.8)', (_, from, to) => {
    expect(outcomeOf(changed(from, to))).toContain('text_too_long');
  });

  test('is read in remarks', () => {
    const remarks = changed('<remarks></remarks>', `<remarks>${'long '.repeat(2_000)}</remarks>`);
    expect(ownershipOf(remarks).remarks).toHaveLength(9_999);
  });
});

describe('an unescaped ampersand', () => {
  test.each([
    ['Bed Bath & Beyond', 'Bed Bath & Beyond'],
    ['AT&T INC', 'AT&T INC'],
    ['B&G; Foods &copy;', 'B&G; Foods &copy;'],
    ['P&amp;G & Q&#65;', 'P&G & QA'],
    ['A &', 'A &'],
  ])('in the name %s is read as typed (rule 6.1)', (typed, read) => {
    const xml = changed(/<issuerName>[^<]*/, `<issuerName>${typed}`);
    expect(ownershipOf(xml).issuer.name).toBe(read);
  });

  test('inside CDATA is text already (rule 6.1)', () => {
    expect(withEscapedAmpersands('<a><![CDATA[x & y]]> & </a>')).toBe('<a><![CDATA[x & y]]> &amp; </a>');
  });

  test('after CDATA that never ends stays as it is, in one pass (rule 6.1)', () => {
    expect(withEscapedAmpersands('<a>& <![CDATA[x & y</a>')).toBe('<a>&amp; <![CDATA[x & y</a>');
    const hostile = `<ownershipDocument>&${'<![CDATA['.repeat(450_000)}`;
    const start = performance.now();
    expect(outcomeOf(changed('<ownershipDocument>', hostile))).toBe('malformed_xml');
    // A search for the end after every section took minutes.
    expect(performance.now() - start).toBeLessThan(20_000);
  }, 60_000);

  test('is the only repair: a name with an open tag is refused (rule 6.1)', () => {
    expect(outcomeOf(changed(/<issuerName>[^<]*/, '<issuerName>A & <B '))).toBe('malformed_xml');
  });
});

describe('the other spellings', () => {
  test.each([
    ['1', true],
    ['true', true],
    ['TRUE', true],
    ['Y', true],
    ['0', false],
    ['false', false],
    ['N', false],
    [' ', false],
  ])('%j as a flag of an owner is %s (rule 6.1)', (typed, read) => {
    expect(ownershipOf(text.replace(/<isDirector>[^<]*/, `<isDirector>${typed}`)).owners[0]?.isDirector).toBe(
      read,
    );
  });

  test('a flag that is neither yes nor no is refused, not guessed (rule 6.1)', () => {
    expect(outcomeOf(changed(/<isDirector>[^<]*/, '<isDirector>maybe'))).toBe('schema_invalid');
  });

  test('a blank or missing title is an empty string, and the row stays (rule 6.1)', () => {
    const blank = ownershipOf(changed('<value>Common Stock</value>', '<value> </value>'));
    const missing = ownershipOf(changed(/<securityTitle>[\s\S]*?<\/securityTitle>/, ''));
    for (const form of [blank, missing]) {
      expect(form.rows.map(({ securityTitle }) => securityTitle).slice(0, 2)).toEqual(['', 'Common Stock']);
      expect(form.rows).toHaveLength(ownershipOf(text).rows.length);
    }
  });

  test('a second table of the same name loses no row (rule 6.1)', () => {
    const table = /<nonDerivativeTable>[\s\S]*<\/nonDerivativeTable>/.exec(text)?.[0] ?? '';
    const rows = ownershipOf(changed('</nonDerivativeTable>', `</nonDerivativeTable>${table}`)).rows;
    expect(rows.map(({ row }) => row)).toEqual(Array.from({ length: 12 }, (_, at) => at + 1));
  });
});

describe('hostile documents', () => {
  test.each(['<!DOCTYPE a>', '<!DOCTYPE a [<!ENTITY b "c">]>', '<!doctype ownershipDocument SYSTEM "x">'])(
    '%s is refused before it is read (rule 1.8)',
    (declaration) => {
      expect(outcomeOf(changed('<ownershipDocument>', `${declaration}<ownershipDocument>`))).toBe(
        'doctype_refused',
      );
    },
  );

  test('more than 8 MB are refused before they are read (rule 1.8)', () => {
    const { header } = splitSubmission(text);
    const long = `<ownershipDocument>${' '.repeat(MAX_TREE_CHARS)}</ownershipDocument>`;
    expect(MAX_TREE_CHARS).toBe(8 * 1024 * 1024);
    expect(() => parseOwnershipXml(long, header, ['4'])).toThrow(`of ${long.length} characters`);
    // Its ampersands are not read either.
    const names = `<ownershipDocument>${'&'.repeat(MAX_TREE_CHARS)}`;
    expect(() => parseOwnershipXml(names, header, ['4'])).toThrow(`of ${names.length} characters`);
  });
});

test('a line break inside a title, a nature or a role is one blank', () => {
  const broken = changed(
    /<directOrIndirectOwnership>[\s\S]*?<\/directOrIndirectOwnership>/,
    '<directOrIndirectOwnership><value>I</value></directOrIndirectOwnership><natureOfOwnership><value>By Kleiner\n  Byers\nXIII, LLC</value></natureOfOwnership>',
  ).replace(
    /<securityTitle>[\s\S]*?<\/securityTitle>/,
    '<securityTitle><value>Common\nStock</value></securityTitle>',
  );
  expect(ownershipOf(broken).rows[0]).toMatchObject({
    securityTitle: 'Common Stock',
    natureOfOwnership: 'By Kleiner Byers XIII, LLC',
  });
});
