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

/** The next check of an organisation begins with its first row. */
export async function forgetCheckpoint(db: Db, orgId: string): Promise<void> {
  await checkpointsIn(db).deleteOne({ _id: orgId });
}

/** The result of a check, for operators. */
export type StoredLedgerCheck = {
  /** ISO 8601 UTC */
  readonly at: string;
  readonly rows: number;
  /** Credits of all organisations together. */
  readonly balance: number;
  readonly problems: readonly string[];
};

/** `credits`: of the last check; `credits-whole`: of the last one that read every row. */
type CheckDoc = { _id: 'credits' | 'credits-whole'; check: StoredLedgerCheck };

const checksIn = (db: Db) => db.collection<CheckDoc>('checks');

export async function saveLedgerCheck(
  db: Db,
  check: StoredLedgerCheck,
  { whole }: { readonly whole: boolean },
): Promise<void> {
  const ids = whole ? (['credits', 'credits-whole'] as const) : (['credits'] as const);
  for (const _id of ids) await checksIn(db).updateOne({ _id }, { $set: { check } }, { upsert: true });
}

/** Null before the first check. */
export async function lastLedgerCheck(db: Db): Promise<StoredLedgerCheck | null> {
  return (await checksIn(db).findOne({ _id: 'credits' }))?.check ?? null;
}

/** The last check that read every row; null before the first one. */
export async function lastWholeLedgerCheck(db: Db): Promise<StoredLedgerCheck | null> {
  return (await checksIn(db).findOne({ _id: 'credits-whole' }))?.check ?? null;
}
