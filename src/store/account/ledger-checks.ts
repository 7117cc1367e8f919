import type { Db } from 'mongodb';
import { saveSetting, settingOf } from '../filing/settings.ts';
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

const CHECK = 'credits_check';
const WHOLE_CHECK = 'credits_check_whole';

export async function saveLedgerCheck(
  db: Db,
  check: StoredLedgerCheck,
  { whole }: { readonly whole: boolean },
): Promise<void> {
  for (const name of whole ? [CHECK, WHOLE_CHECK] : [CHECK]) await saveSetting(db, name, check);
}

/** Null before the first check. */
export function lastLedgerCheck(db: Db): Promise<StoredLedgerCheck | null> {
  return settingOf<StoredLedgerCheck>(db, CHECK);
}

/** The last check that read every row; null before the first one. */
export function lastWholeLedgerCheck(db: Db): Promise<StoredLedgerCheck | null> {
  return settingOf<StoredLedgerCheck>(db, WHOLE_CHECK);
}
