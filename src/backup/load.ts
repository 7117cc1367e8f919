import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { BSON, type Db, type Document } from 'mongodb';
import { AppError, UsageError } from '../errors.ts';
import {
  markRestoring,
  markVersion,
  STORE_VERSION,
  SETTING as VERSION_SETTING,
} from '../store/filing/store-version.ts';
import { ensureIndexes } from '../store/mongo/indexes.ts';
import { carriedOver } from './carry-over.ts';
import { documentsIn } from './documents.ts';
import { type CopiedCollection, fileOf, MANIFEST, type Manifest, manifestFile } from './manifest.ts';

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
