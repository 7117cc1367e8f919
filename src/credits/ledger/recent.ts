import { type LedgerDoc, latestRows } from '../../store/account/ledger.ts';
import type { CreditStore } from '../store.ts';

/** One change of an organisation's balance. */
export type Entry = Pick<LedgerDoc, 'kind' | 'at' | 'delta' | 'balanceAfter' | 'tool' | 'keyId'>;

export type Recent = {
  /** Newest first. */
  readonly entries: readonly Entry[];
  /** False when there are older entries. */
  readonly isWhole: boolean;
};

/** How many entries are shown. */
export const MAX_RECENT = 50;

/**
 * The latest changes of one balance in the ledger: those of the last second may be missing. Reads a range of
 * ids, so it costs the same for any number of organisations.
 */
export async function recentEntries({ db }: Pick<CreditStore, 'db'>, orgId: string): Promise<Recent> {
  const rows = await latestRows(db, orgId, MAX_RECENT + 1);
  const moved = rows.filter(({ kind, delta }) => kind !== 'open' || delta !== 0);
  const entries = moved.slice(0, MAX_RECENT);
  return { entries, isWhole: rows.length <= MAX_RECENT };
}
