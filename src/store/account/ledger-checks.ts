import type { Db } from 'mongodb';
import { saveSetting, settingOf } from '../filing/settings.ts';

const checkpointName = (orgId: string): string => `credits_checked|${orgId}`;

/** The last row of an organisation's ledger that was checked; null without a clean check. */
export function checkpointOf(db: Db, orgId: string): Promise<string | null> {
  return settingOf(db, checkpointName(orgId));
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
