import type { Db } from 'mongodb';
import type { Cik } from '../../domain/ids.ts';
import { findByIds } from '../mongo/lists.ts';
import { JOURNALED } from '../mongo/write.ts';

/** A data set whose import began. `_id` is its name. */
export type DataSetDoc = {
  _id: string;
  /** Of its bytes: another one under the same name is imported anew. */
  digest: string;
  /** `done`: everything is stored, and what follows from it was invalidated. `unpublished`: EDGAR has none. */
  state: 'importing' | 'stored' | 'done' | 'unpublished';
  startedAt: string;
  /** Work so far, over all runs. */
  seconds: number;
  /** How far the present stage is. */
  progress?: { stage: UnitStage; share: number; at: string };
  /** Why a worker could not import it the last time; until an import of it ends. */
  failure?: { code: string; reason: string; at: string };
  /** An import of it began after it failed. */
  isRetried?: true;
};

/** A unit of an import that is done. */
export type UnitDoc = {
  /** `<data set>|<first digits of its digest>|<stage>|<number>` */
  _id: string;
  dataSet: string;
  stage: UnitStage;
  number: number;
  result: UnitResult;
  at: string;
};

/** `filings` stores them with their rows; `reports` computes what follows. */
export type UnitStage = 'filings' | 'reports';

export type UnitResult = {
  readonly filings: number;
  readonly rows: number;
  /** Filings that were stored before, from a document or another data set: they stay. */
  readonly known: number;
  /** Reports that were computed. */
  readonly computed: number;
  readonly failures: readonly UnitFailure[];
  /** Keys of what follows, to be invalidated when all units are done. */
  readonly followers: Followers;
};

/** A filing that is quarantined, or a report that cannot be computed. */
export type UnitFailure = { readonly key: string; readonly code: string; readonly reason: string };

export type Followers = {
  /** Quarters whose peers change. */
  readonly peers: readonly string[];
  /** Quarters whose holders are counted again. */
  readonly holders: readonly string[];
  /** `[report, digest]`: their followers are invalidated with these. */
  readonly reports: readonly (readonly [string, string])[];
  /** Whose trades, and whose tickers' briefs, change. */
  readonly issuers: readonly Cik[];
};

const dataSetsIn = (db: Db) => db.collection<DataSetDoc>('data_sets');
const unitsIn = (db: Db) => db.collection<UnitDoc>('data_set_units');

export type DataSetKey = { readonly name: string; readonly digest: string };

const prefixOf = ({ name, digest }: DataSetKey): string => `${name}|${digest.slice(0, 16)}|`;

export async function findDataSet(db: Db, name: string): Promise<DataSetDoc | null> {
  return dataSetsIn(db).findOne({ _id: name });
}

/** Begins an import, or continues it when `resume` is set and the bytes are the same. A failure stays until it ends. */
export async function beginDataSet(
  db: Db,
  key: DataSetKey,
  { at, resume }: { readonly at: string; readonly resume: boolean },
): Promise<DataSetDoc> {
  const found = await findDataSet(db, key.name);
  if (resume && found?.digest === key.digest) {
    await dataSetsIn(db).updateOne({ _id: key.name }, { $set: { isRetried: true } });
    return found;
  }
  await unitsIn(db).deleteMany({ dataSet: key.name });
  const fields = { digest: key.digest, state: 'importing' as const, startedAt: at, seconds: 0 };
  await dataSetsIn(db).updateOne(
    { _id: key.name },
    { $set: { ...fields, isRetried: true } },
    { upsert: true },
  );
  return { _id: key.name, ...fields };
}

/** Writes nothing when another process has changed the state. */
export async function setDataSetState(
  db: Db,
  name: string,
  { from, to }: { readonly from: DataSetDoc['state']; readonly to: DataSetDoc['state'] },
  seconds: number,
): Promise<void> {
  // An import that was stopped leaves the failure before it.
  const ended = to === 'importing' ? {} : { $unset: { failure: '', isRetried: '' } as const };
  const found = { _id: name, state: from };
  await dataSetsIn(db).updateOne(found, { $set: { state: to }, ...ended, $inc: { seconds } });
}

export async function noteDataSetProgress(
  db: Db,
  name: string,
  progress: NonNullable<DataSetDoc['progress']>,
): Promise<void> {
  await dataSetsIn(db).updateOne({ _id: name }, { $set: { progress } });
}

/** Of a data set of which nothing need be stored yet. */
const NOTHING = { digest: '', seconds: 0 };

/** EDGAR has no data set of this name: what it would hold is found in daily indexes. */
export async function noteUnpublished(db: Db, name: string, at: string): Promise<void> {
  await dataSetsIn(db).updateOne(
    { _id: name },
    { $set: { state: 'unpublished' }, $unset: { failure: '' }, $setOnInsert: { startedAt: at, ...NOTHING } },
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
      $setOnInsert: { state: 'importing' as const, startedAt: failure.at, ...NOTHING },
    },
    { upsert: true },
  );
}

/** Those of the data sets that were begun in any way, by name. */
export async function dataSetsNamed(db: Db, names: readonly string[]): Promise<Map<string, DataSetDoc>> {
  const docs = await findByIds(dataSetsIn(db), names);
  return new Map(docs.map((doc) => [doc._id, doc]));
}

export async function dataSetsInState(db: Db, state: DataSetDoc['state']): Promise<DataSetDoc[]> {
  return dataSetsIn(db).find({ state }).sort({ _id: 1 }).toArray();
}

export type UnitKey = DataSetKey & { readonly stage: UnitStage; readonly number: number };

/** Notes a unit as done: the last write of a unit, so that one that was interrupted is repeated. */
export async function noteUnit(db: Db, key: UnitKey, done: Pick<UnitDoc, 'result' | 'at'>): Promise<void> {
  const { name, stage, number } = key;
  await unitsIn(db).updateOne(
    { _id: `${prefixOf(key)}${stage}|${number}` },
    { $set: { dataSet: name, stage, number, ...done } },
    { upsert: true, writeConcern: JOURNALED },
  );
}

/** The units of a data set that are done. */
export async function doneUnits(db: Db, name: string): Promise<UnitDoc[]> {
  return unitsIn(db).find({ dataSet: name }).toArray();
}
