import { expect, test } from 'vitest';
import { decodeSubmission, isEncodingGuessed } from './decode.ts';
import { MAX_SUBMISSION_BYTES, ParseError } from './parse-error.ts';
import { asText } from './source.ts';

const latin = (text: string): Uint8Array => Buffer.from(text, 'latin1');
const codeOf = (bytes: Uint8Array): string => {
  try {
    return asText(decodeSubmission(bytes));
  } catch (error) {
    if (error instanceof ParseError) return error.code;
    throw error;
  }
};

test('UTF-8 is read as such, with or without a byte order mark', () => {
  expect(codeOf(new TextEncoder().encode('Nestlé'))).toBe('Nestlé');
  expect(codeOf(new TextEncoder().encode('\ufeffNestlé'))).toBe('Nestlé');
});

test('a declared ISO-8859-1 or windows-1252 file keeps its accents', () => {
  expect(codeOf(latin('<?xml version="1.0" encoding="ISO-8859-1"?><a>Nestl\xe9</a>'))).toContain('Nestlé');
  expect(codeOf(latin("<?xml version='1.0' encoding='windows-1252'?><a>\x80</a>"))).toContain('€');
  expect(codeOf(latin("<?xml version='1.0' encoding='windows-1252'?><a>\x92\x9f</a>"))).toContain('’Ÿ');
});

const UTF8 = '<?xml version="1.0" encoding="UTF-8"?>';

test('a file that declares UTF-8, or nothing, is read in windows-1252 where all else is ASCII, and that is told', () => {
  for (const xml of [UTF8, '<XML>']) {
    const bytes = latin(`${xml}<a>Nestl\xe9</a>`);
    expect(codeOf(bytes)).toContain('<a>Nestlé</a>');
    expect(isEncodingGuessed(bytes)).toBe(true);
  }
  expect(isEncodingGuessed(latin('<?xml version="1.0" encoding="ISO-8859-1"?><a>\xe9</a>'))).toBe(false);
  expect(isEncodingGuessed(new TextEncoder().encode(`${UTF8}<a>é</a>`))).toBe(false);
  expect(isEncodingGuessed(latin('13F HOLDINGS REPORT Nestl\xe9'))).toBe(false);
});

test('a file with characters of UTF-8 among others, or of another declared encoding, is refused', () => {
  expect(codeOf(latin(`${UTF8}<a>Nestl\xc3\xa9</a><a>Nestl\xe9</a>`))).toBe('bad_encoding');
  expect(codeOf(latin(`${UTF8}<a>\x81</a>`))).toBe('bad_encoding');
  expect(codeOf(latin('<?xml version="1.0" encoding="Shift_JIS"?><a>\x83\x8a</a>'))).toBe('bad_encoding');
});

test('bytes of no known encoding, UTF-16, NUL and U+FFFD are refused', () => {
  expect(codeOf(latin('a\x81b'))).toBe('bad_encoding');
  expect(codeOf(latin('\xff\xfe<\x00S\x00'))).toBe('bad_encoding');
  expect(codeOf(latin('<SEC\0'))).toBe('bad_encoding');
  expect(codeOf(new TextEncoder().encode('Nestl\ufffd'))).toBe('bad_encoding');
});

test('a large submission stays bytes, and is read and refused as a small one is', () => {
  const more = ' '.repeat(2 * 1024 * 1024);
  const utf8 = new TextEncoder().encode(`\ufeff<a>Nestlé</a>${more}`);
  expect(decodeSubmission(utf8)).toBeInstanceOf(Buffer);
  expect(codeOf(utf8)).toBe(`<a>Nestlé</a>${more}`);
  expect(codeOf(latin(`Nestl\xe9${more}`))).toBe(`Nestlé${more}`);
  for (const bad of [latin(`a\x81b${more}`), latin(`<SEC\0${more}`)])
    expect(codeOf(bad)).toBe('bad_encoding');
  expect(codeOf(new TextEncoder().encode(`Nestl\ufffd${more}`))).toBe('bad_encoding');
});

test('a submission over the limit is refused before it is decoded', () => {
  expect(codeOf(new Uint8Array(MAX_SUBMISSION_BYTES + 1))).toBe('too_large');
});

test('half a character in UTF-8, and UTF-16 of either order, are refused', () => {
  expect(codeOf(latin('<?xml version="1.0" encoding="UTF-8"?><a>\xed\xa0\x80</a>'))).toBe('bad_encoding');
  const wide = Buffer.from('\ufeff<SEC-DOCUMENT>é', 'utf16le');
  expect(codeOf(wide)).toBe('bad_encoding');
  expect(codeOf(Buffer.from(wide).swap16())).toBe('bad_encoding');
});
