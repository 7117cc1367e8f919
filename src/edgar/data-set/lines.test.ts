import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { linesOf } from './filings.ts';

async function read(chunks: Iterable<string>): Promise<string[]> {
  const lines: string[] = [];
  for await (const some of linesOf(Readable.from(bytesOf(chunks)))) lines.push(...some);
  return lines;
}

function* bytesOf(chunks: Iterable<string>): Generator<Buffer> {
  for (const chunk of chunks) yield Buffer.from(chunk);
}

test('lines end where they do, however the pieces are cut', async () => {
  expect(await read(['a\tb\r', '\nc', 'd\n', 'e'])).toEqual(['a\tb', 'cd', 'e']);
});

test('a line without an end is refused before it is joined', async () => {
  let pulled = 0;
  const endless = (function* () {
    for (; pulled < 4_096; pulled++) yield 'x'.repeat(65_536);
  })();
  await expect(read(endless)).rejects.toMatchObject({ code: 'edgar_malformed' });
  // The 17 pieces of the longest line that is read, and what a stream reads ahead.
  expect(pulled).toBeLessThan(64);
});
