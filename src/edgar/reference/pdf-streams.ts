import { inflateRawSync, constants as zlib } from 'node:zlib';

/** The list of 2018Q3, 526 pages, inflates to less than 3 MiB. */
export const MAX_INFLATED_BYTES = 64 * 2 ** 20;
const KEYWORD = Buffer.from('stream');
const ZLIB_HEADER_BYTES = 2;

/** The key of the filters of a stream, also with letters escaped as `#46`. */
const FILTER_KEY = /\/(?:F|#46)(?:i|#69)(?:l|#6c)(?:t|#74)(?:e|#65)(?:r|#72)/gi;
const PLAIN_FILTER = /\/Filter\s*(?:\/FlateDecode|\[\s*\/FlateDecode\s*\])(?=[\s/>])/y;
/** The short key, where a filter or a reference follows: `/F 4` of an annotation is something else. */
const SHORT_KEY =
  /\/(?:F|#46)\s*(?:(?:\[\s*)?\/(?:ASCII|A85|AHx|LZW|Run|RL|Fl|CC|DCT|JBIG2|JPX|Crypt|#)|\d+\s+\d+\s+R)/;

/**
 * True when a stream has any filter but one plain `/FlateDecode`, as the streams of a list have: others
 * inflate again or without bound. Reads all bytes, whatever the file's own tables say. A comment can hide a
 * filter from it; `readBounded` ends what that costs.
 */
export function hasOtherFilter(bytes: Buffer): boolean {
  const text = bytes.toString('latin1');
  return SHORT_KEY.test(text) || [...text.matchAll(FILTER_KEY)].some(({ index }) => !isPlain(text, index));
}

function isPlain(text: string, at: number): boolean {
  PLAIN_FILTER.lastIndex = at;
  return PLAIN_FILTER.test(text);
}

/**
 * True when the compressed streams of a PDF together inflate to more than any list needs: the PDF reader
 * itself has no limit. Reads the bytes after every `stream` keyword, and stops at the limit.
 */
export function inflatesBeyond(file: Buffer, most: number = MAX_INFLATED_BYTES): boolean {
  let left = most;
  for (let at = file.indexOf(KEYWORD); at !== -1; at = file.indexOf(KEYWORD, at + 1)) {
    const inflated = inflate(file.subarray(startOf(file, at + KEYWORD.length)), left);
    if (inflated === 'too_large') return true;
    left -= inflated?.length ?? 0;
  }
  return false;
}

/** The first byte after the keyword's line. */
function startOf(file: Buffer, end: number): number {
  const isReturn = file[end] === 0x0d;
  const next = isReturn ? end + 1 : end;
  return file[next] === 0x0a ? next + 1 : next;
}

/** Null for bytes that are not compressed. The checksum is ignored, as PDF readers ignore it. */
function inflate(bytes: Buffer, most: number): Buffer | 'too_large' | null {
  const [method = 0, flags = 0] = bytes;
  if ((method & 0x0f) !== 8 || ((method << 8) | flags) % 31 !== 0) return null;
  try {
    const options = { maxOutputLength: Math.max(most, 1), finishFlush: zlib.Z_SYNC_FLUSH };
    return inflateRawSync(bytes.subarray(ZLIB_HEADER_BYTES), options);
  } catch (error) {
    return error instanceof RangeError ? 'too_large' : null;
  }
}
