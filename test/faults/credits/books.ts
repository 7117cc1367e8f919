import { expect } from 'vitest';
import { checkLedger } from '../../../src/credits/ledger/check.ts';
import { drainLog } from '../../../src/credits/ledger/drain.ts';
import { redisKeys } from '../../../src/credits/redis-keys.ts';
import type { CreditStore } from '../../../src/credits/store.ts';
import { ledgerIn, rowsAfter } from '../../../src/store/account/ledger.ts';

/** What the ledger says of one organisation. */
export type Books = {
  readonly balance: number;
  readonly granted: number;
  /** Credits of charges that stand: those that were not voided. */
  readonly spent: number;
  readonly charges: number;
  readonly voids: number;
  /** What a rebuild added because the ledger did not know it. */
  readonly unexplained: number;
};

/**
 * Reads the ledger of an organisation and holds it to what must always be true: the check of the whole ledger
 * finds nothing, no attempt is voided twice, and Redis has the balance at its end.
 */
export async function exactBooks(store: CreditStore, orgId: string): Promise<Books> {
  await drainLog(store);
  expect((await checkLedger(store, { whole: true })).problems).toEqual([]);
  const rows = await ledgerIn(store.db).find(rowsAfter(orgId, '')).sort({ _id: 1 }).toArray();
  const of = (...kinds: string[]) => rows.filter(({ kind }) => kinds.includes(kind));
  const sum = (some: typeof rows) => some.reduce((total, { delta }) => total + delta, 0);
  const balance = sum(rows);
  expect(Number(await store.redis.hget(redisKeys(store.tag).org(orgId), 'bal'))).toBe(balance);
  return {
    balance,
    granted: sum(of('grant')),
    spent: 0 - sum(of('charge', 'void', 'crash_void')),
    charges: of('charge').length,
    voids: of('void', 'crash_void').length,
    unexplained: sum(of('open')),
  };
}
