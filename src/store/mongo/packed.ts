import { gunzipSync, gzipSync } from 'node:zlib';
import { Binary } from 'mongodb';

/**
 * A JSON value as one gzip Binary (ARCHITECTURE, storage). Amounts are decimal text already: a
 * replacer for bigints would double the time of it, and a bigint that is left over throws.
 */
export function pack(value: unknown): Binary {
  return new Binary(gzipSync(JSON.stringify(value), { level: 1 }));
}

/** The value that {@link pack} stored. The caller names its shape: only our own writes are read back. */
export function unpack<T>(binary: Binary): T {
  return JSON.parse(gunzipSync(binary.buffer).toString('utf8')) as T;
}
