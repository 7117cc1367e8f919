import type { Db } from 'mongodb';

/** A reference file that was read to its end. */
type ImportDoc = { _id: string; sha256: string; at: string };

const importsIn = (db: Db) => db.collection<ImportDoc>('imports');

/** With a hash: a file of exactly these bytes. Without: the file of that name, which never changes. */
export async function isImported(db: Db, name: string, sha256?: string): Promise<boolean> {
  const doc = await importsIn(db).findOne({ _id: name });
  return doc !== null && (sha256 === undefined || doc.sha256 === sha256);
}

export async function noteImported(db: Db, name: string, sha256: string, now: Date): Promise<void> {
  const imported = { sha256, at: now.toISOString() };
  await importsIn(db).updateOne({ _id: name }, { $set: imported }, { upsert: true });
}

/** Stands for all reference data together: noted when a run has read all of it. */
export const REFERENCE_RUN = 'reference run';
