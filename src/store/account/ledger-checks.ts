import type { Db } from 'mongodb';
import { saveSetting, settingOf, settingsIn } from '../filing/settings.ts';
import { findByIds } from '../mongo/lists.ts';

const checkpointName = (orgId: string): string => `credits_checked|${orgId}`;

/** The last rows of the ledgers of organisations that were checked, in their order; null without a clean check. */
export async function checkpointsOf(db: Db, orgIds: readonly string[]): Promise<(string | null)[]> {
  const docs = await findByIds(settingsIn<string | null>(db), orgIds.map(checkpointName));
  const through = new Map(docs.map(({ _id, value }) => [_id, value]));
  return orgIds.map((orgId) => through.get(checkpointName(orgId)) ?? null);
}

/** @param through null: the next check begins with the first row */
export function saveCheckpoint(db: Db, orgId: string, through: string | null): Promise<void> {
  return saveSetting(db, checkpointName(orgId), through);
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
