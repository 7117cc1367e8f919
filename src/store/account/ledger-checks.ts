import type { Db } from 'mongodb';
import { findByIds } from '../mongo/lists.ts';

/** How far an organisation's ledger was checked. */
type CheckpointDoc = { _id: string; through: string };

const checkpointsIn = (db: Db) => db.collection<CheckpointDoc>('ledger_checks');

/** The last row that was checked, by organisation; those without a clean check are left out. */
export async function findCheckpoints(
  db: Db,
  orgIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const docs = await findByIds(checkpointsIn(db), orgIds);
  return new Map(docs.map(({ _id, through }) => [_id, through]));
}

export async function saveCheckpoint(db: Db, orgId: string, through: string): Promise<void> {
  await checkpointsIn(db).updateOne({ _id: orgId }, { $set: { through } }, { upsert: true });
}

/** The result of the last check, for operators. */
export type StoredLedgerCheck = {
  /** ISO 8601 UTC */
  readonly at: string;
  readonly rows: number;
  /** Credits of all organisations together; absent in a check of an earlier release. */
  readonly balance?: number;
  readonly problems: readonly string[];
};

type CheckDoc = { _id: 'credits'; check: StoredLedgerCheck };

const checksIn = (db: Db) => db.collection<CheckDoc>('checks');

export async function saveLedgerCheck(db: Db, check: StoredLedgerCheck): Promise<void> {
  await checksIn(db).updateOne({ _id: 'credits' }, { $set: { check } }, { upsert: true });
}

/** Null before the first check. */
export async function lastLedgerCheck(db: Db): Promise<StoredLedgerCheck | null> {
  return (await checksIn(db).findOne({ _id: 'credits' }))?.check ?? null;
}
