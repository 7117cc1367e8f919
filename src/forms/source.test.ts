import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { filingBytes, filingText } from '../../test/filings/read.ts';
import { decodeSubmission } from './decode.ts';
import { ParseError } from './parse-error.ts';
import { type Submission, splitSubmission } from './sgml.ts';
import { asText, firstChars, type Source, trimmed } from './source.ts';

/** A submission with the text of its documents, or the error. */
function partsOf(source: Source): unknown {
  try {
    return textsOf(splitSubmission(source));
  } catch (error) {
    if (error instanceof ParseError) return [error.code, error.message];
    throw error;
  }
}

function textsOf({ header, documents }: Submission): unknown {
  const parts = documents.map((document) => ({
    ...document,
    text: asText(document.text),
    xml: document.xml === null ? null : asText(document.xml),
  }));
  return { header, parts };
}

const folder = (name: string): string[] =>
  readdirSync(new URL(`../../test/filings/${name}`, import.meta.url))
    .filter((file) => /\.(txt|nc)$/.test(file))
    .map((file) => `${name}/${file}`);

test('each bundled submission has the same parts as text and as bytes', () => {
  const names = [...folder('13f'), ...folder('form-4')];
  expect(names.length).toBeGreaterThan(20);
  for (const name of names) {
    const text = asText(decodeSubmission(filingBytes(name)));
    expect(partsOf(Buffer.from(text)), name).toEqual(partsOf(text));
  }
});

test('a submission that is cut or has other blanks around its parts is the same as text and as bytes', () => {
  const text = filingText('form-4/0001214659-20-002786.txt');
  const blanks = ['\u00a0', '\u2003\n', '\ufeff', '\v\f', 'é', ''];
  const edited = blanks.flatMap((blank) => [
    `${blank}${text}${blank}`,
    text.replace('<XML>', `<XML>${blank}`).replace('</XML>', `${blank}</XML>`),
    text.replace('<XML>', blank).replace('</XML>', blank),
  ]);
  const cut = Array.from({ length: 60 }, (_, at) => text.slice(0, Math.floor((text.length * at) / 60)));
  for (const one of [...edited, ...cut]) expect(partsOf(Buffer.from(one))).toEqual(partsOf(one));
});

test.each(['', ' ', 'é', ' é ', '\u2003a\u2003', 'a\u00a0', '😀'.repeat(40), 'aé€😀'.repeat(40)])(
  'the ends and the first characters of %j are the same in text and bytes',
  (text) => {
    const utf8 = Buffer.from(text);
    expect(asText(trimmed(utf8))).toBe(text.trim());
    for (const most of [1, 2, 7, 64, 1000]) {
      expect(firstChars(utf8, most)).toBe(text.slice(0, most));
    }
  },
);
