import { gunzipSync, gzipSync } from 'node:zlib';
import { Binary } from 'mongodb';
import { sha256Hex } from '../../domain/canonical.ts';
import { groupBy } from '../../domain/group.ts';
import { AppError } from '../../errors.ts';

/**
 * Bounds of the chunks, in bytes, that zlib fills. Output that fits into one chunk is not put together from pieces; a
 * chunk that is larger than the output wastes memory.
 */
const MIN_CHUNK = 1_024;
const MAX_PACKED_CHUNK = 64 * 1_024;
const MAX_UNPACKED_CHUNK = 4 * 1_024 * 1_024;

/** A JSON value as one gzip Binary. Amounts must be decimal text already: a bigint throws. */
export function pack(value: unknown): Binary {
  return packText(JSON.stringify(value));
}

/** The same of a value that is JSON text already. */
export function packText(json: string): Binary {
  // Rows take a fifth of their JSON.
  const chunkSize = Math.min(Math.max(json.length >> 1, MIN_CHUNK), MAX_PACKED_CHUNK);
  const bytes = gzipSync(json, { level: 1, chunkSize });
  // A part of a chunk keeps the whole chunk in memory, and an import holds thousands of documents. Where less than half
  // of it is filled, a copy takes less than the empty rest.
  return new Binary(2 * bytes.length < chunkSize ? copyOf(bytes) : bytes);
}

/** In memory of its own: `Buffer.from` of so few bytes is a part of a pool, which it keeps. */
function copyOf(bytes: Buffer): Buffer {
  const own = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(own);
  return own;
}

/** The value that {@link pack} stored. The caller names its shape: only our own writes are read back. */
export function unpack<T>(binary: Binary): T {
  const chunkSize = Math.min(Math.max(sizeIn(binary.buffer), MIN_CHUNK), MAX_UNPACKED_CHUNK);
  return JSON.parse(gunzipSync(binary.buffer, { chunkSize }).toString('utf8')) as T;
}

/** Bytes of the unpacked JSON, by the last four bytes of gzip (RFC 1952), and one more, in which zlib finds the end. */
function sizeIn(packed: Uint8Array): number {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength);
  return packed.byteLength < 4 ? 0 : view.getUint32(packed.byteLength - 4, true) + 1;
}

/** The first 24 hex digits of the SHA-256 over the JSON: equal content has an equal digest. */
export function digestOf(content: unknown): string {
  return digestOfText(JSON.stringify(content));
}

/** The same of content that is JSON text already. */
export function digestOfText(json: string): string {
  return sha256Hex(json).slice(0, 24);
}

/** A list of values that are JSON text already. */
export function listText(texts: readonly string[]): string {
  return `[${texts.join()}]`;
}

/** One list of the items of several, each as JSON text. */
export function joinedText(lists: readonly string[]): string {
  return listText(lists.filter((list) => list !== '[]').map((list) => list.slice(1, -1)));
}

/** Turns a value into JSON and back. */
export type Codec<T> = { readonly encode: (value: T) => unknown; readonly decode: (json: unknown) => T };

/** A value that is JSON already. */
export const PLAIN: Codec<never> = { encode: (value) => value, decode: (json) => json as never };

/** JSON has no bigint: amounts are decimal text. */
export const AMOUNT: Codec<bigint> = {
  encode: (value) => value.toString(),
  // Votes are mostly none.
  decode: (json) => (json === '0' ? 0n : BigInt(json as string)),
};

export function listOf<T>(item: Codec<T>): Codec<readonly T[]> {
  return {
    encode: (values) => values.map(item.encode),
    decode: (json) => (json as unknown[]).map(item.decode),
  };
}

export function nullable<T>(codec: Codec<T>): Codec<T | null> {
  return {
    encode: (value) => (value === null ? null : codec.encode(value)),
    decode: (json) => (json === null ? null : codec.decode(json)),
  };
}

/** The codecs of all fields, in the order of the tuple. */
export type FieldCodecs<T> = { readonly [Name in keyof T]-?: Codec<T[Name]> | typeof PLAIN };

/** An object as the list of its fields: shorter and faster than with its keys. */
export function tupleOf<T extends object>(fields: FieldCodecs<T>): Codec<T> {
  const names = Object.keys(fields) as (keyof T & string)[];
  // Null for a field that is JSON already: most are, and a call for each would cost more than the rest.
  const codecs = names.map((name) => (fields[name] === PLAIN ? null : (fields[name] as Codec<unknown>)));
  return {
    encode: (value) => {
      const values = new Array<unknown>(names.length);
      for (let at = 0; at < names.length; at += 1) {
        const field = value[names[at] as keyof T];
        const codec = codecs[at];
        values[at] = codec ? codec.encode(field) : field;
      }
      return values;
    },
    decode: (json) => {
      const values = json as unknown[];
      const decoded: Record<string, unknown> = {};
      for (let at = 0; at < names.length; at += 1) {
        const codec = codecs[at];
        decoded[names[at] as string] = codec ? codec.decode(values[at]) : values[at];
      }
      return decoded as T;
    },
  };
}

export const RATIO = tupleOf<{ readonly numerator: bigint; readonly denominator: bigint }>({
  numerator: AMOUNT,
  denominator: AMOUNT,
});

/**
 * Items in parts of one document, so that one part is read without the others. Callers sort the items,
 * so that equal items give equal bytes.
 */
export function packParts<T>(
  items: readonly T[],
  partOf: (item: T) => string,
  codec: Codec<T>,
): Record<string, Binary> {
  const parts = [...groupBy(items, partOf)];
  return Object.fromEntries(parts.map(([part, own]) => [part, pack(own.map(codec.encode))]));
}

/** The items of one part; none of a part that does not exist. */
export function unpackPart<T>(binary: Binary | undefined, codec: Codec<T>): T[] {
  return binary === undefined ? [] : unpack<unknown[]>(binary).map(codec.decode);
}

/** The range of MongoDB's integers. The driver wraps larger ones silently. */
export const INT64_MAX = 2n ** 63n - 1n;

export function fitsInt64(amounts: readonly bigint[]): boolean {
  return amounts.every((amount) => amount <= INT64_MAX && amount >= -INT64_MAX);
}

/** Throws `value_out_of_range` (not retryable) when an amount of `what` does not fit 64 bits. */
export function requireInt64(what: string, amounts: readonly bigint[]): void {
  if (fitsInt64(amounts)) return;
  throw new AppError('value_out_of_range', `${what}: the values exceed 64 bits`);
}
