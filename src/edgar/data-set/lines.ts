import type { Readable } from 'node:stream';
import { malformed } from '../error.ts';

/**
 * The lines of a table, some thousands at a time and without their ends. The SEC's tables have no quoting:
 * a quote is a character like any other, and no field has a line break or tab. Bytes that are not UTF-8
 * become U+FFFD, because one name must not stop a quarter.
 * Throws `edgar_malformed` for a stream that breaks, as that of a damaged zip does.
 */
export async function* linesOf(stream: Readable): AsyncGenerator<string[]> {
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      yield lines.map(withoutReturn);
    }
  } catch (cause) {
    throw malformed('a table', cause instanceof Error ? cause.message : String(cause), cause);
  }
  rest += decoder.decode();
  if (rest !== '') yield [withoutReturn(rest)];
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}
