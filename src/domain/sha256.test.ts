import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { sha256Hex } from './canonical.ts';
import { hashAfter, hashStart } from './sha256.ts';

const ascii = fc.string({ unit: 'binary-ascii', maxLength: 300 });

test('a text hashed in two parts has the SHA-256 of the whole, wherever it is divided', () => {
  fc.assert(
    fc.property(ascii, ascii, (start, rest) => {
      const stored = JSON.parse(JSON.stringify(hashStart(start)));
      expect(hashAfter(stored, rest)).toBe(sha256Hex(start + rest));
    }),
    { numRuns: 500 },
  );
});

test.each([0, 1, 55, 56, 63, 64, 65, 119, 120, 128])(
  'with %i characters at the edge of a block',
  (length) => {
    const text = 'x'.repeat(length);
    expect(hashAfter(hashStart(text), '')).toBe(sha256Hex(text));
    expect(hashAfter(hashStart(''), text)).toBe(sha256Hex(text));
  },
);

test('text that is not ASCII is refused, because its characters are not bytes', () => {
  expect(() => hashStart('é')).toThrow('not ASCII');
  expect(() => hashAfter(hashStart('a'), 'é')).toThrow('not ASCII');
});
