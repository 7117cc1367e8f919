import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { linesOf } from './lines.ts';

async function read(chunks: readonly string[]): Promise<string[]> {
  const lines: string[] = [];
  for await (const some of linesOf(Readable.from(chunks.map((chunk) => Buffer.from(chunk)))))
    lines.push(...some);
  return lines;
}

test('lines end where they do, however the pieces are cut', async () => {
  expect(await read(['a\tb\r', '\nc', 'd\n', 'e'])).toEqual(['a\tb', 'cd', 'e']);
});

test('a line without an end is refused before it is joined', async () => {
  const endless = Array.from({ length: 4_096 }, () => 'x'.repeat(65_536));
  const started = performance.now();
  await expect(read(endless)).rejects.toMatchObject({ code: 'edgar_malformed' });
  expect(performance.now() - started).toBeLessThan(5_000);
});
