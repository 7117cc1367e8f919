import { inflateRawSync, constants as zlib } from 'node:zlib';

/** The list of 2018Q3, 526 pages, inflates to less than 3 MiB. */
export const MAX_INFLATED_BYTES = 64 * 2 ** 20;
/** The streams of a list are compressed once. A bomb needs two or three layers. */
const MAX_LAYERS = 3;
const KEYWORD = Buffer.from('stream');
const ZLIB_HEADER_BYTES = 2;

/**
 * True when the compressed streams of a PDF, layer by layer, inflate to more than any list needs. The
 * PDF reader itself has no limit. Reads the bytes after every `stream` keyword, whatever the file's own
 * tables say, and stops at the limit.
 */
export function inflatesBeyond(bytes: Uint8Array, most: number = MAX_INFLATED_BYTES): boolean {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let left = most;
  for (let at = file.indexOf(KEYWORD); at !== -1; at = file.indexOf(KEYWORD, at + 1)) {
    let layer: Buffer | null = file.subarray(startOf(file, at + KEYWORD.length));
    for (let depth = 0; depth < MAX_LAYERS && layer !== null; depth += 1) {
      const inflated = inflate(layer, left);
      if (inflated === 'too_large') return true;
      left -= inflated?.length ?? 0;
      layer = inflated;
    }
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
