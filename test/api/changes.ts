import { drainLog } from '../../src/credits/ledger/drain.ts';
import type { CreditStore } from '../../src/credits/store.ts';
import { latestRows } from '../../src/store/account/ledger.ts';

/** What was done to an organisation's balance after its grants, sorted. */
export async function kindsOf(store: CreditStore, orgId: string): Promise<string[]> {
  await drainLog(store);
  const rows = await latestRows(store.db, orgId, 5_000);
  return rows.flatMap(({ kind }) => (kind === 'grant' ? [] : [kind])).sort();
}
