import type { Collection, Db } from 'mongodb';

/** Reference files that were read to their end. */
type ImportDoc = { _id: string; sha256: string; at: string };

function importsIn(db: Db): Collection<ImportDoc> {
  return db.collection<ImportDoc>('imports');
}

/** With a hash: these very bytes; without: the file of that name, which never changes. */
export async function isImported(db: Db, name: string, sha256?: string): Promise<boolean> {
  const doc = await importsIn(db).findOne({ _id: name });
  return doc !== null && (sha256 === undefined || doc.sha256 === sha256);
}

export async function markImported(db: Db, name: string, sha256: string): Promise<void> {
  const at = new Date().toISOString();
  await importsIn(db).updateOne({ _id: name }, { $set: { sha256, at } }, { upsert: true });
}

/** Stands for all reference data together: marked when a run read what there is. */
export const REFERENCE_RUN = 'reference run';
