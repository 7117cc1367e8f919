import { createHash } from 'node:crypto';
import type { Binary, Collection, Db } from 'mongodb';
import type { SearchEntry } from '../../domain/search/entry.ts';
import { pack, unpack } from '../mongo/packed.ts';
import { type Derived, replaceDerived, SEARCH_PARTS } from './search-parts.ts';

/** One part of the index; `digest` is a hash of its entries, so readers see whether it changed. */
type PartDoc = Derived & { digest: string; entries: Binary };

/** A part is some hundred kilobytes, and read only when it changed. */
const READ_MS = 5_000;

export function partsIn(db: Db): Collection<PartDoc> {
  return db.collection<PartDoc>('search_parts');
}

/** Shows the entries of a part, unless those of a later version are shown. */
export async function publishPart(
  db: Db,
  part: string,
  computed: { readonly entries: readonly SearchEntry[]; readonly version: number },
): Promise<void> {
  const { entries, version } = computed;
  const digest = createHash('sha256').update(JSON.stringify(entries)).digest('hex').slice(0, 24);
  const at = new Date().toISOString();
  await replaceDerived(partsIn(db), { _id: part, version, at, digest, entries: pack(entries) });
}

/** Digest by part, read by exact ids: two small fields of {@link SEARCH_PARTS}. */
export async function partDigests(db: Db, mostMs: number): Promise<Map<string, string>> {
  const docs = await partsIn(db)
    .find({ _id: { $in: [...SEARCH_PARTS] } }, { projection: { digest: 1 }, maxTimeMS: mostMs })
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
