import type { Db } from 'mongodb';
import { findByIds } from '../mongo/lists.ts';

/** A data set whose import began. `_id` is its name. */
export type DataSetDoc = {
  _id: string;
  /** Of its bytes: another one under the same name is imported anew. */
  digest: string;
  /** `stored`: its filings are; `done`: what follows from them is computed. `unpublished`: EDGAR has none. */
  state: 'importing' | 'stored' | 'done' | 'unpublished';
  startedAt: string;
  /** By the clock of the database, as the times of invalidations are. */
  storedAt?: Date;
  /** How much of it was read; `at` also when it was done. */
  progress?: { share: number; at: string };
  /** Why a worker could not import it the last time; until an import of it ends. */
  failure?: { code: string; reason: string; at: string };
  /** An import of it began after it failed. */
  isRetried?: true;
};

const collection = (db: Db) => db.collection<DataSetDoc>('data_sets');

export async function findDataSet(db: Db, name: string): Promise<DataSetDoc | null> {
  return collection(db).findOne({ _id: name });
}

/** Begins an import, or begins it again. A failure stays until it ends. */
export async function beginDataSet(
  db: Db,
  name: string,
  { digest, at }: { readonly digest: string; readonly at: string },
): Promise<void> {
  const begun = { digest, state: 'importing', isRetried: true } as const;
  await collection(db).updateOne(
    { _id: name },
    { $set: begun, $setOnInsert: { startedAt: at } },
    { upsert: true },
  );
}

/** All filings of the data set are stored. */
export async function noteStored(db: Db, name: string, digest: string): Promise<void> {
  const stored = { state: 'stored', storedAt: '$$NOW', failure: '$$REMOVE', isRetried: '$$REMOVE' };
  await collection(db).updateOne({ _id: name, digest, state: 'importing' }, [{ $set: stored }]);
}

/** What follows from the stored data set is computed. Returns it as it is now: its import may have begun again. */
export async function noteDone(db: Db, name: string, at: string): Promise<DataSetDoc | null> {
  const done = { state: 'done', progress: { share: 1, at } } as const;
  await collection(db).updateOne({ _id: name, state: 'stored' }, { $set: done });
  return findDataSet(db, name);
}

export async function noteDataSetProgress(
  db: Db,
  name: string,
  progress: NonNullable<DataSetDoc['progress']>,
): Promise<void> {
  await collection(db).updateOne({ _id: name }, { $set: { progress } });
}

/** EDGAR has no data set of this name: what it would hold is found in daily indexes. */
export async function noteUnpublished(db: Db, name: string, at: string): Promise<void> {
  await collection(db).updateOne(
    { _id: name },
    {
      $set: { state: 'unpublished' },
      $unset: { failure: '' },
      $setOnInsert: { startedAt: at, digest: '' },
    },
    { upsert: true },
  );
}

export async function noteDataSetFailure(
  db: Db,
  name: string,
  failure: NonNullable<DataSetDoc['failure']>,
): Promise<void> {
  await collection(db).updateOne(
    { _id: name },
    {
      $set: { failure },
      $unset: { isRetried: '' },
      $setOnInsert: { state: 'importing', startedAt: failure.at, digest: '' },
    },
    { upsert: true },
  );
}

/** Those of the data sets that were begun in any way, by name. */
export async function dataSetsNamed(db: Db, names: readonly string[]): Promise<Map<string, DataSetDoc>> {
  const docs = await findByIds(collection(db), names);
  return new Map(docs.map((doc) => [doc._id, doc]));
}

export function dataSetsIn(db: Db): Promise<DataSetDoc[]> {
  return collection(db).find().toArray();
}

/** Whether an import, by a worker or a command, has gone on since then. */
export async function hasImportedSince(db: Db, at: string): Promise<boolean> {
  return (await collection(db).findOne({ state: 'importing', 'progress.at': { $gt: at } })) !== null;
}
