import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { BSON, type Db, type Document } from 'mongodb';
import { AppError, UsageError } from '../errors.ts';
import { discovered, type FoundFiling } from '../store/filing/claims.ts';
import {
  markRestoring,
  markVersion,
  STORE_VERSION,
  SETTING as VERSION_SETTING,
} from '../store/filing/store-version.ts';
import { ensureIndexes } from '../store/mongo/indexes.ts';
import { type CopiedCollection, fileOf, MANIFEST, type Manifest, manifestFile } from './dump.ts';

const BATCH_DOCUMENTS = 1_000;
const BATCH_BYTES = 8 * 2 ** 20;

type Options = {
  readonly report: (restored: CopiedCollection) => void;
  /** What is to be true before a process may use the home. When it throws, the home stays closed. */
  readonly beforeOpen: (manifest: Manifest) => Promise<void>;
};

/**
 * Restores a backup into an empty database, after every file was compared with its digest. The version of
 * the store comes last: until then every process refuses the home, also when the restore was killed. Of an earlier store
 * version only what {@link carriedOver} keeps is restored. Throws a UsageError for a folder that is no backup or of a newer release, and for a database that has data; `backup_damaged`.
 */
export async function load(db: Db, folder: string, { report, beforeOpen }: Options): Promise<Manifest> {
  const manifest = await readManifest(folder);
  if (manifest.storeVersion > STORE_VERSION) {
    throw new UsageError(
      `The backup is of a newer release (store version ${manifest.storeVersion}, this release has ${STORE_VERSION})`,
    );
  }
  for (const collection of manifest.collections) await requireWhole(folder, collection);
  await requireEmpty(db);
  await markRestoring(db);
  for (const collection of [...manifest.collections].reverse()) {
    await loadCollection(db, { folder, collection, isWhole: manifest.storeVersion === STORE_VERSION });
    report(collection);
  }
  await ensureIndexes(db);
  await beforeOpen(manifest);
  await markVersion(db);
  return manifest;
}

async function readManifest(folder: string): Promise<Manifest> {
  const text = await readFile(join(folder, MANIFEST), 'utf8').catch(() => {
    throw new UsageError(`${folder} has no ${MANIFEST}: it is no backup, or one that did not end`);
  });
  return manifestFile.parse(JSON.parse(text));
}

async function requireWhole(folder: string, { name, sha256 }: CopiedCollection): Promise<void> {
  const hash = createHash('sha256');
  try {
    await pipeline(createReadStream(join(folder, fileOf(name))), hash);
  } catch (cause) {
    throw new AppError('backup_damaged', `${fileOf(name)} of the backup cannot be read`, { cause });
  }
  if (hash.digest('hex') === sha256) return;
  throw new AppError(
    'backup_damaged',
    `${fileOf(name)} of the backup is damaged: its SHA-256 is another one`,
  );
}

async function requireEmpty(db: Db): Promise<void> {
  for (const { name } of await db.listCollections({}, { nameOnly: true }).toArray()) {
    if (name === 'heartbeats' || (await db.collection(name).findOne({})) === null) continue;
    throw new UsageError(
      `The database ${db.databaseName} has data (${name}). Restore into an empty one: another TIDEMARK_HOME or MONGO_DB`,
    );
  }
}

type Copy = {
  readonly folder: string;
  readonly collection: CopiedCollection;
  /** False when it is of an earlier store version. */
  readonly isWhole: boolean;
};

async function loadCollection(db: Db, { folder, collection, isWhole }: Copy): Promise<void> {
  const { name, documents } = collection;
  const target = db.collection(name);
  const bytes = createReadStream(join(folder, fileOf(name))).pipe(createGunzip());
  let batch: Document[] = [];
  let size = 0;
  let count = 0;
  const write = async (): Promise<void> => {
    if (batch.length > 0) await target.insertMany(batch, { ordered: false });
    batch = [];
    size = 0;
  };
  for await (const document of documentsIn(bytes)) {
    count += 1;
    // Numbers keep the type that they have: an Int32 does not come back as a double.
    const copied = BSON.deserialize(document, { promoteValues: false });
    if (copied['_id'] === VERSION_SETTING && name === 'settings') continue;
    const restored = isWhole ? copied : carriedOver(name, copied);
    if (restored === null) continue;
    batch.push(restored);
    size += document.length;
    if (batch.length === BATCH_DOCUMENTS || size >= BATCH_BYTES) await write();
  }
  await write();
  if (count !== documents)
    throw new AppError('backup_damaged', `${name}: ${count} of ${documents} documents`);
}

/** Their shape is the same in every store version. */
const COPIED: ReadonlySet<string> = new Set([
  ...['usage', 'ledger', 'vouchers', 'grants', 'watchlists', 'keys', 'organizations'],
  ...['raw', 'raw_parts'],
]);

/**
 * A document of an earlier store version in a new home; null for what is derived. Accounts and bytes are copied, and a
 * filing waits to be parsed from its bytes.
 */
function carriedOver(collection: string, doc: Document): Document | null {
  if (COPIED.has(collection)) return doc;
  if (collection === 'settings') return doc['_id'] === 'key_pepper' ? doc : null;
  if (collection !== 'filings' || doc['raw'].length === 0) return null;
  const { _id: accession, cik, form, leg, company, filedDate, discoveredAt, raw, retrievedAt } = doc;
  const found = { accession, cik, form, leg, company, filedDate } as FoundFiling;
  return { ...discovered(found, discoveredAt), state: 'fetched', raw, retrievedAt };
}

/** The BSON documents of a stream of bytes, one after another; each begins with its length. Throws `backup_damaged`. */
export async function* documentsIn(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let left = Buffer.alloc(0);
  let pieces: Buffer[] = [];
  let have = 0;
  for await (const piece of bytes) {
    pieces.push(piece);
    have += piece.length;
    const needed = left.length >= 4 ? left.readInt32LE(0) : 4;
    if (left.length + have < needed) continue;
    left = Buffer.concat([left, ...pieces]);
    pieces = [];
    have = 0;
    while (left.length >= 4 && left.length >= left.readInt32LE(0)) {
      const length = left.readInt32LE(0);
      yield left.subarray(0, length);
      left = left.subarray(length);
    }
  }
  if (left.length + have > 0) throw new AppError('backup_damaged', 'the last document is cut off');
}
