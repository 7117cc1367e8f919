import { expect } from 'vitest';
import { waitUntil } from '../../../packages/embedded/wait.ts';
import { checkLedger } from '../../../src/credits/ledger/check.ts';
import { drainLog } from '../../../src/credits/ledger/drain.ts';
import { redisKeys } from '../../../src/credits/redis-keys.ts';
import type { CreditStore } from '../../../src/credits/store.ts';
import { type LedgerDoc, ledgerIn, rowsAfter } from '../../../src/store/account/ledger.ts';

type Row = Pick<LedgerDoc, 'kind' | 'delta'>;

const SETTLED_MS = 60_000;

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
  const balanceOf = (rows: readonly Row[]) => rows.reduce((total, { delta }) => total + delta, 0);
  const heldNow = async () => Number(await store.redis.hget(redisKeys(store.tag).org(orgId), 'bal'));
  const rowsNow = async (): Promise<readonly Row[]> => {
    await drainLog(store);
    return ledgerIn(store.db).find(rowsAfter(orgId, '')).sort({ _id: 1 }).toArray();
  };
  let rows = await rowsNow();
  // A call that got no answer may be voided in between, and on a busy machine long after its load has ended.
  await waitUntil(async () => {
    rows = await rowsNow();
    return balanceOf(rows) === (await heldNow());
  }, SETTLED_MS);
  expect((await checkLedger(store, { whole: true })).problems).toEqual([]);
  const balance = balanceOf(rows);
  expect(await heldNow()).toBe(balance);
  const of = (...kinds: string[]) => rows.filter(({ kind }) => kinds.includes(kind));
  return {
    balance,
    granted: balanceOf(of('grant')),
    spent: 0 - balanceOf(of('charge', 'void', 'crash_void')),
    charges: of('charge').length,
    voids: of('void', 'crash_void').length,
    unexplained: balanceOf(of('open')),
  };
}
