import { createHash } from 'node:crypto';
import { createWriteStream, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { BSON, type Db, type Document } from 'mongodb';
import { z } from 'zod';
import { UsageError } from '../errors.ts';
import { headSeq } from '../store/filing/events.ts';
import { storeVersion } from '../store/filing/store-version.ts';
import { type InvalidationDoc, invalidationsIn } from '../store/invalidation/invalidation.ts';

type Options = { readonly now: () => Date; readonly report: (copied: CopiedCollection) => void };

/**
 * Copies a database into a new folder while processes use it, readable by the user alone. Everything that
 * was invalidated since the begin is pending in the copy, so whatever is derived and was copied halfway is
 * derived again after a restore (rule 13.3).
 */
export async function dump(db: Db, folder: string, { now, report }: Options): Promise<Manifest> {
  makeFolder(folder);
  const startedAt = now().toISOString();
  const clean = await cleanVersions(db);
  const collections: CopiedCollection[] = [];
  const copy = async (name: string, documents: AsyncIterable<Uint8Array>): Promise<void> => {
    const copied = await writeCollection(folder, name, documents);
    collections.push(copied);
    report(copied);
  };
  for (const name of copyOrder(await collectionNames(db))) {
    await copy(name, rawDocuments(db, name));
  }
  await copy(INVALIDATIONS, pendingSince(db, clean));
  const manifest: Manifest = {
    format: 1,
    storeVersion: await storeVersion(db),
    startedAt,
    endedAt: now().toISOString(),
    lastEvent: await headSeq(db),
    collections,
  };
  writeFileSync(join(folder, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`, {
    mode: 0o600,
    flush: true,
  });
  return manifest;
}

function makeFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (readdirSync(folder).length > 0)
    throw new UsageError(`${folder} is not empty: a backup needs a folder of its own`);
}

/** With `raw` a document comes as its bytes, which the types do not say. */
function rawDocuments(db: Db, name: string): AsyncIterable<Uint8Array> {
  return db.collection(name).find({}, { raw: true }).sort({ _id: 1 }) as unknown as AsyncIterable<Uint8Array>;
}

async function collectionNames(db: Db): Promise<string[]> {
  return (await db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name);
}

/** The versions of the keys that are not pending. */
async function cleanVersions(db: Db): Promise<ReadonlyMap<string, number>> {
  const clean = new Map<string, number>();
  const found = invalidationsIn(db).find({ pending: false }, { projection: { version: 1 } });
  for await (const { _id, version } of found) clean.set(_id, Number(version));
  return clean;
}

/** Before every import that is stored: none is done until what the copy has pending is computed there (rule 13.7). */
const LONG_AGO = new Date(0);

/** The invalidations of now; pending are also those that were pending or raised since `clean` was read. */
async function* pendingSince(db: Db, clean: ReadonlyMap<string, number>): AsyncGenerator<Uint8Array> {
  for await (const doc of invalidationsIn(db).find().sort({ _id: 1 })) {
    // A key of a quarter has version 0 for good: its stamp alone changes, and nobody would settle it.
    const isClean = !doc.pending && (clean.get(doc._id) ?? 0) === Number(doc.version);
    // Without `settled` all of an issuer is read again: filings named since may be settled before their trades were copied.
    const { settled: _settled, ...rest } = doc;
    const copied: InvalidationDoc = isClean ? doc : { ...rest, pending: true, at: LONG_AGO };
    yield BSON.serialize(copied as Document);
  }
}

async function writeCollection(
  folder: string,
  name: string,
  documents: AsyncIterable<Uint8Array>,
): Promise<CopiedCollection> {
  const hash = createHash('sha256');
  const count = { documents: 0, bytes: 0 };
  await pipeline(
    documents,
    async function* (all: AsyncIterable<Uint8Array>) {
      for await (const bytes of all) {
        count.documents += 1;
        yield bytes;
      }
    },
    createGzip({ level: 1 }),
    async function* (pieces: AsyncIterable<Uint8Array>) {
      for await (const piece of pieces) {
        hash.update(piece);
        count.bytes += piece.length;
        yield piece;
      }
    },
    createWriteStream(join(folder, fileOf(name)), { mode: 0o600, flush: true }),
  );
  return { name, ...count, sha256: hash.digest('hex') };
}

/**
 * A backup copies one collection after another while processes write. So what refers comes before what it
 * refers to, and what says "complete" before what it speaks of: a day of the index before its filings, a
 * filing before its bytes, the ledger before its grants and organisations. What is added meanwhile is then
 * at most too much in the copy, never missing.
 */
const FIRST: readonly string[] = [
  ...['settings', 'index_days', 'data_sets'],
  ...['usage', 'ledger', 'vouchers', 'grants', 'watchlists', 'keys', 'organizations'],
  ...['filings', 'events', 'raw', 'raw_parts', 'filing_rows'],
  ...['current_briefs', 'briefs', 'evidence_pages'],
];

/** Of the processes that run, not of the data. */
const LEFT_OUT: readonly string[] = ['heartbeats'];

/** Read before everything and written after it (`dump.ts`). */
const INVALIDATIONS = 'invalidations';

/** The collections of a database in the order of a copy, without the invalidations. The rest is derived. */
export function copyOrder(names: readonly string[]): string[] {
  const rest = names.filter((name) => ![...FIRST, ...LEFT_OUT, INVALIDATIONS].includes(name)).sort();
  return [...FIRST.filter((name) => names.includes(name)), ...rest];
}

/** Written last: a folder without it is no backup. */
export const MANIFEST = 'manifest.json';

const collection = z.strictObject({
  name: z.string().regex(/^[a-z0-9_]+$/),
  documents: z.number().int().min(0),
  /** Of the gzip file `<name>.bson.gz`. */
  bytes: z.number().int().min(0),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});
export const manifestFile = z.strictObject({
  format: z.literal(1),
  storeVersion: z.number().int(),
  startedAt: z.string(),
  endedAt: z.string(),
  /** The highest number of an event when it ended: what readers may have seen at least. */
  lastEvent: z.number().int().min(0),
  collections: z.array(collection),
});

export type Manifest = z.infer<typeof manifestFile>;
export type CopiedCollection = z.infer<typeof collection>;

export function fileOf(name: string): string {
  return `${name}.bson.gz`;
}
