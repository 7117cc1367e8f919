import type { Binary, Db } from 'mongodb';
import type { SearchEntry } from '../../domain/search/entry.ts';
import { digestOf, pack, unpack } from '../mongo/pack.ts';
import { replaceUnlessNewer, type Versioned } from '../mongo/write.ts';
import { SEARCH_PARTS } from './search-parts.ts';

/** One part of the index. `at`: when it was computed last, changed or not. */
type PartDoc = Versioned & { digest: string; at: string; entries: Binary };

/** A part is some hundred kilobytes, and is read only when it changed. */
const READ_MS = 5_000;

export const partsIn = (db: Db) => db.collection<PartDoc>('search_parts');

type Computed = { readonly entries: readonly SearchEntry[]; readonly version: number; readonly at: string };

/** Shows the entries of a part, unless those of a later version are shown. */
export async function publishPart(db: Db, part: string, { entries, version, at }: Computed): Promise<void> {
  const doc = { _id: part, version, at, digest: digestOf(entries), entries: pack(entries) };
  await replaceUnlessNewer(partsIn(db), doc);
}

/** The digest of each part, by which readers see what changed. Reads small fields by exact ids. */
export async function partDigests(db: Db, maxMs: number): Promise<Map<string, string>> {
  const docs = await partsIn(db)
    .find({ _id: { $in: [...SEARCH_PARTS] } }, { projection: { digest: 1 }, maxTimeMS: maxMs })
    .toArray();
  return new Map(docs.map((doc) => [doc._id, doc.digest]));
}

/** Null when it was never published. */
export async function readPart(
  db: Db,
  part: string,
): Promise<{ readonly digest: string; readonly entries: SearchEntry[] } | null> {
  const doc = await partsIn(db).findOne({ _id: part }, { maxTimeMS: READ_MS });
  return doc === null ? null : { digest: doc.digest, entries: unpack<SearchEntry[]>(doc.entries) };
}
