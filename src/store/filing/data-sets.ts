import type { Db } from 'mongodb';
import { findByIds } from '../mongo/lists.ts';

/** A data set whose import began. `_id` is its name. */
export type DataSetDoc = {
  _id: string;
  /** Of its bytes: another one under the same name is imported anew. */
  digest: string;
  /** `stored`: its filings are; `done`: what follows from them is compared. `unpublished`: EDGAR has none. */
  state: 'importing' | 'stored' | 'done' | 'unpublished';
  startedAt: string;
  /** How much of it was read; `at` also when it was done. */
  progress?: { share: number; at: string };
  /** Why a worker could not import it the last time; until an import of it ends. */
  failure?: { code: string; reason: string; at: string };
  /** An import of it began after it failed. */
  isRetried?: true;
};

const dataSetsIn = (db: Db) => db.collection<DataSetDoc>('data_sets');

export async function findDataSet(db: Db, name: string): Promise<DataSetDoc | null> {
  return dataSetsIn(db).findOne({ _id: name });
}

/** Begins an import, or begins it again. A failure stays until it ends. */
export async function beginDataSet(
  db: Db,
  name: string,
  { digest, at }: { readonly digest: string; readonly at: string },
): Promise<void> {
  const begun = { digest, state: 'importing', isRetried: true } as const;
  await dataSetsIn(db).updateOne(
    { _id: name },
    { $set: begun, $setOnInsert: { startedAt: at } },
    { upsert: true },
  );
}

/** All filings of the data set are stored. */
export async function noteStored(db: Db, name: string, digest: string): Promise<void> {
  const stored = { $set: { state: 'stored' }, $unset: { failure: '', isRetried: '' } } as const;
  await dataSetsIn(db).updateOne({ _id: name, digest, state: 'importing' }, stored);
}

/** What follows from the stored data sets is compared. */
export async function noteDone(db: Db, names: readonly string[], at: string): Promise<void> {
  const done = { state: 'done', progress: { share: 1, at } } as const;
  for (const _id of names) await dataSetsIn(db).updateOne({ _id, state: 'stored' }, { $set: done });
}

export async function noteDataSetProgress(
  db: Db,
  name: string,
  progress: NonNullable<DataSetDoc['progress']>,
): Promise<void> {
  await dataSetsIn(db).updateOne({ _id: name }, { $set: { progress } });
}

/** EDGAR has no data set of this name: what it would hold is found in daily indexes. */
export async function noteUnpublished(db: Db, name: string, at: string): Promise<void> {
  await dataSetsIn(db).updateOne(
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
  await dataSetsIn(db).updateOne(
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
  const docs = await findByIds(dataSetsIn(db), names);
  return new Map(docs.map((doc) => [doc._id, doc]));
}

export async function allDataSets(db: Db): Promise<DataSetDoc[]> {
  return dataSetsIn(db).find().toArray();
}
