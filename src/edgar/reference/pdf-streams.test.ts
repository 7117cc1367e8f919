import { deflateSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { inflatesBeyond, MAX_INFLATED_BYTES } from './pdf-streams.ts';
import { readSecurityList } from './security-list.ts';

const pdfWith = (...streams: readonly Buffer[]): Buffer =>
  Buffer.concat([
    Buffer.from('%PDF-1.4\n'),
    ...streams.flatMap((stream) => [
      Buffer.from('1 0 obj\n<< /Filter /FlateDecode >>\nstream\r\n'),
      stream,
      Buffer.from('\nendstream\nendobj\n'),
    ]),
  ]);

const KIB = deflateSync(Buffer.alloc(1_024));
const LONG = deflateSync(Buffer.alloc(1_024 * 1_024));

describe('a PDF that inflates to more than any list', () => {
  test('is refused before it is read (rule 3.2)', async () => {
    const bomb = pdfWith(deflateSync(Buffer.alloc(MAX_INFLATED_BYTES + 1)));
    expect(bomb.length).toBeLessThan(100_000);
    await expect(readSecurityList('13flist2018q3.pdf', bomb)).rejects.toThrow('more than any list');
  });

  test('is recognised by the sum of its streams, to the byte', () => {
    expect(inflatesBeyond(pdfWith(KIB, KIB, KIB), 3_072)).toBe(false);
    expect(inflatesBeyond(pdfWith(KIB, KIB, KIB), 3_071)).toBe(true);
  });

  test('is recognised when a stream is cut, its checksum is wrong, or a comment stands before it', () => {
    const wrong = Buffer.from(KIB);
    wrong.writeUInt32BE(1, wrong.length - 4);
    for (const stream of [wrong, LONG.subarray(0, -6)])
      expect(inflatesBeyond(pdfWith(stream), 512)).toBe(true);
    const comment = Buffer.concat([Buffer.from('% stream x endstream\n'), pdfWith(KIB)]);
    expect(inflatesBeyond(comment, 512)).toBe(true);
    expect(inflatesBeyond(pdfWith(Buffer.from('plain text')), 1)).toBe(false);
  });
});
