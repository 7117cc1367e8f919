import { gunzipSync, gzipSync } from 'node:zlib';
import { Binary, type Db } from 'mongodb';
import { sha256Hex } from '../../domain/canonical.ts';
import { AppError } from '../../errors.ts';
import { findByIds } from '../mongo/lists.ts';
import { insertNew } from '../mongo/write.ts';

/** Bytes exactly as fetched, stored before anything parses them. `_id` is their SHA-256 in hex. */
type RawDoc = {
  _id: string;
  url: string;
  fetchedAt: string;
  length: number;
  etag: string | null;
  parts: number;
};
/** Compressed bytes per part, well below MongoDB's 16 MB document limit. */
const PART_BYTES = 8 * 1024 * 1024;

const rawIn = (db: Db) => db.collection<RawDoc>('raw');

const partsIn = (db: Db) => db.collection<{ _id: string; gzip: Binary }>('raw_parts');

/** Stores the bytes and returns their SHA-256. Parts first, so that the bytes of a `raw` document are complete. */
export async function keepRaw(
  db: Db,
  bytes: Uint8Array,
  meta: { readonly url: string; readonly fetchedAt: string; readonly etag: string | null },
): Promise<string> {
  const id = sha256Hex(bytes);
  const gzip = gzipSync(bytes, { level: 6 });
  const parts = Math.max(1, Math.ceil(gzip.length / PART_BYTES));
  for (let part = 0; part < parts; part++) {
    const slice = gzip.subarray(part * PART_BYTES, (part + 1) * PART_BYTES);
    await insertNew(partsIn(db), [{ _id: `${id}|${part}`, gzip: new Binary(slice) }]);
  }
  const doc = { url: meta.url, fetchedAt: meta.fetchedAt, length: bytes.length, etag: meta.etag, parts };
  await insertNew(rawIn(db), [{ _id: id, ...doc }]);
  return id;
}

/** The bytes with that SHA-256, which is checked. Throws `raw_missing` or `raw_damaged`. */
export async function readRaw(db: Db, id: string): Promise<Buffer> {
  const doc = await rawIn(db).findOne({ _id: id });
  if (doc === null) throw new AppError('raw_missing', `no raw bytes are stored for sha256 ${id}`);
  const ids = Array.from({ length: doc.parts }, (_, part) => `${id}|${part}`);
  const parts = await findByIds(partsIn(db), ids);
  const byId = new Map(parts.map((part) => [part._id, part.gzip.buffer]));
  const gzip = Buffer.concat(ids.map((part) => byId.get(part) ?? new Uint8Array()));
  const bytes = gunzipSync(gzip);
  if (sha256Hex(bytes) !== id) throw new AppError('raw_damaged', `stored bytes differ from sha256 ${id}`);
  return bytes;
}
