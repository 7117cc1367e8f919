import type { Readable } from 'node:stream';
import { malformed } from '../error.ts';

/** Characters. Real lines stay under 10,000. */
const MAX_LINE = 2 ** 20;

/**
 * The lines of a table, some thousands at a time and without their ends. The SEC's tables have no quoting:
 * a quote is a character like any other, and no field has a line break or tab. Bytes that are not UTF-8
 * become U+FFFD, because one name must not stop a quarter.
 * Throws `edgar_malformed` for a stream that breaks, as that of a damaged zip does, and for a line without end.
 */
export async function* linesOf(stream: Readable): AsyncGenerator<string[]> {
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      // Joining such a line again and again is quadratic.
      if (rest.length > MAX_LINE) throw new Error(`a line has more than ${MAX_LINE} characters`);
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
