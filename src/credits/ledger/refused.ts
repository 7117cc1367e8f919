import { groupBy } from '../../domain/group.ts';
import { rowsOf } from '../../store/account/ledger.ts';
import { redisKeys } from '../redis-keys.ts';
import type { CreditStore } from '../store.ts';
import type { Entry } from './entry.ts';

/**
 * Reports the charges that a drain read before Redis lost them, and that came after the end of their epoch
 * (rule 12.7). By then their calls were decided without them: one that was sent again is charged anew, and one
 * that had no answer needs no void. So they stay with the customer, as all that is lost with Redis, within the
 * bound of rule 12.6. Entries that the log still has wait for the rebuild.
 */
export async function reportLost(store: CreditStore, refused: readonly Entry[]): Promise<void> {
  const [first, last] = [refused[0], refused.at(-1)];
  if (first === undefined || last === undefined) return;
  // The log first: a rebuild takes an entry out of it when the ledger has its row.
  const inLog = await store.redis.xrange(redisKeys(store.tag).log, first.streamId, last.streamId);
  const waiting = new Set(inLog.map(([streamId]) => streamId));
  const gone = refused.filter(({ streamId }) => !waiting.has(streamId)).map(({ row }) => row);
  for (const [orgId, rows] of groupBy(gone, (row) => row.orgId)) {
    const rids = rows.map(({ rid }) => rid);
    const stored = new Set((await rowsOf(store.db, orgId, rids)).map(({ kind, rid }) => `${kind}|${rid}`));
    const lost = rows.filter(({ kind, rid }) => !stored.has(`${kind}|${rid}`));
    if (lost.length > 0)
      store.log?.error({ orgId, lost }, 'entries that Redis lost came after the end of their epoch');
  }
}
