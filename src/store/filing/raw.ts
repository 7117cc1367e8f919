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
export async function keepRaw(db: Db, bytes: Uint8Array, meta: RawMeta): Promise<string> {
  const [id = ''] = await keepRaws(db, [{ bytes, meta }]);
  return id;
}

type RawMeta = { readonly url: string; readonly fetchedAt: string; readonly etag: string | null };

type Raw = { readonly bytes: Uint8Array; readonly meta: RawMeta };

/** The same for several, in their order, with as few commands. */
export async function keepRaws(db: Db, raws: readonly Raw[]): Promise<string[]> {
  const docs = raws.map(({ bytes, meta: { url, fetchedAt, etag } }) => {
    const parts = partsOf(bytes);
    const fields = { url, fetchedAt, length: bytes.length, etag, parts: parts.length };
    return { parts, raw: { _id: sha256Hex(bytes), ...fields } };
  });
  await insertNew(
    partsIn(db),
    docs.flatMap(({ raw, parts }) => parts.map((gzip, part) => ({ _id: `${raw._id}|${part}`, gzip }))),
  );
  const heads = docs.map(({ raw }) => raw);
  await insertNew(rawIn(db), heads);
  return docs.map(({ raw }) => raw._id);
}

function partsOf(bytes: Uint8Array): Binary[] {
  const gzip = gzipSync(bytes, { level: 6 });
  const count = Math.max(1, Math.ceil(gzip.length / PART_BYTES));
  return Array.from(
    { length: count },
    (_, part) => new Binary(gzip.subarray(part * PART_BYTES, (part + 1) * PART_BYTES)),
  );
}

/** The bytes with that SHA-256, which is checked. Throws `raw_missing` or `raw_damaged`. */
export async function readRaw(db: Db, id: string): Promise<Buffer> {
  const [bytes] = await readRaws(db, [id]);
  if (bytes === undefined) throw missing(id);
  return bytes;
}

/** The bytes of several, in the order of the ids, with as few commands. Throws like {@link readRaw}. */
export async function readRaws(db: Db, ids: readonly string[]): Promise<Buffer[]> {
  const docs = new Map((await findByIds(rawIn(db), ids, { parts: 1 })).map((doc) => [doc._id, doc]));
  const partIds = ids.map((id) => {
    const doc = docs.get(id);
    if (doc === undefined) throw missing(id);
    return Array.from({ length: Number(doc.parts) }, (_, part) => `${id}|${part}`);
  });
  const found = await findByIds(partsIn(db), partIds.flat());
  const parts = new Map(found.map((part) => [part._id, part.gzip.buffer]));
  return ids.map((id, at) => {
    const gzip = Buffer.concat((partIds[at] ?? []).map((part) => parts.get(part) ?? new Uint8Array()));
    const bytes = unzipped(gzip);
    if (bytes === null || sha256Hex(bytes) !== id)
      throw new AppError('raw_damaged', `stored bytes differ from sha256 ${id}`);
    return bytes;
  });
}

/** Null for what is cut or damaged, as where a part is missing. */
function unzipped(gzip: Uint8Array): Buffer | null {
  try {
    return gunzipSync(gzip);
  } catch {
    return null;
  }
}

function missing(id: string): AppError {
  return new AppError('raw_missing', `no raw bytes are stored for sha256 ${id}`);
}
