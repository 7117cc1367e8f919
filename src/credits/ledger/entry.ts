import { AppError } from '../../errors.ts';
import { type LedgerDoc, ledgerId } from '../../store/account/ledger.ts';
import { redisKeys } from '../redis-keys.ts';
import type { CreditStore } from '../store.ts';

/** An entry of the log, as the row that the ledger will have. */
export type Entry = { readonly streamId: string; readonly row: LedgerDoc };

const KINDS = ['charge', 'void', 'crash_void', 'grant'] as const;

/** Entries of the log in their order, after an id of the stream (`-`: from the beginning). */
export async function readLog(store: CreditStore, after: string, limit: number): Promise<Entry[]> {
  const from = after === '-' ? '-' : `(${after}`;
  const entries = await store.redis.xrange(redisKeys(store.tag).log, from, '+', 'COUNT', limit);
  return entries.map(([id, fields]) => entryOf(id, fields));
}

/** The id of the last entry; null when the log is empty. */
export async function lastStreamId({ redis, tag }: CreditStore): Promise<string | null> {
  const [last] = await redis.xrevrange(redisKeys(tag).log, '+', '-', 'COUNT', 1);
  return last?.[0] ?? null;
}

/** The row as the scripts write it: in one field. Releases before had a field for each value. */
function entryOf(streamId: string, fields: readonly string[]): Entry {
  const named = (name: string): string => fields[fields.indexOf(name) + 1] ?? '';
  const values =
    fields[0] === 'row'
      ? named('row').split('|')
      : ['kind', 'org', 'epoch', 'n', 'delta', 'balance_after', 'rid', 'tool', 'key_id'].map(named);
  return { streamId, row: rowOfValues(values, Number(streamId.split('-', 1)[0])) };
}

/** The row of a charge as `charge.lua` and the open calls have it. Throws `credits_log` for anything else. */
export function rowOfValues(values: readonly string[], atMs: number): LedgerDoc {
  const [kindText, orgId = '', epoch, n, delta, balanceAfter, rid = '', tool = '', keyId = ''] = values;
  const kind = KINDS.find((one) => one === kindText);
  const numbers = [epoch, n, delta, balanceAfter].map(Number);
  if (kind === undefined || orgId === '' || rid === '' || !numbers.every(Number.isSafeInteger)) {
    throw new AppError('credits_log', `Not an entry of the credits log: ${JSON.stringify(values)}`);
  }
  return {
    _id: ledgerId(orgId, Number(epoch), Number(n)),
    orgId,
    kind,
    delta: Number(delta),
    balanceAfter: Number(balanceAfter),
    rid,
    tool,
    keyId,
    at: new Date(atMs).toISOString(),
  };
}
