import type { Readable } from 'node:stream';

/**
 * The lines of a table, some thousands at a time and without their ends. The SEC's tables have no quoting:
 * a quote is a character like any other, and no field has a line break or tab. Bytes that are not UTF-8
 * become U+FFFD, because one name must not stop a quarter.
 */
export async function* linesOf(stream: Readable): AsyncGenerator<string[]> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield lines.map(withoutReturn);
  }
  rest += decoder.decode();
  if (rest !== '') yield [withoutReturn(rest)];
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}
