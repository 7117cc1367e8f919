import { type LedgerDoc, ledgerId } from '../../store/account/ledger.ts';
import { isOrgPart, isRequestPart, redisKeys } from '../redis-keys.ts';
import type { CreditStore } from '../store.ts';

/** An entry of the log, as the row that the ledger will have. */
export type Entry = { readonly streamId: string; readonly row: LedgerDoc };

const KINDS = ['charge', 'void', 'crash_void', 'grant'] as const;

/** An entry that is none of ours, or damaged. It stays in the log until the operator sets the fence. */
export type Malformed = { readonly streamId: string; readonly text: string };

/** `last`: the id of the last entry that was read, also of a malformed one; null when there was none. */
type LogPage = {
  readonly entries: readonly Entry[];
  readonly malformed: readonly Malformed[];
  readonly last: string | null;
};

const PAGE = 1_000;

/** Entries of the log in their order, after an id of the stream (`-`: from the beginning). */
export async function readLog(store: CreditStore, after: string, limit: number): Promise<LogPage> {
  const from = after === '-' ? '-' : `(${after}`;
  const read = await store.redis.xrange(redisKeys(store.tag).log, from, '+', 'COUNT', limit);
  const entries: Entry[] = [];
  const malformed: Malformed[] = [];
  for (const [streamId, fields] of read) {
    const row = rowOfValues(valuesOf(fields), Number(streamId.split('-', 1)[0]));
    if (row === null) malformed.push({ streamId, text: JSON.stringify(fields) });
    else entries.push({ streamId, row });
  }
  return { entries, malformed, last: read.at(-1)?.[0] ?? null };
}

/** All that the log has. It is bounded by the credits that may be at risk. */
export async function wholeLog(store: CreditStore): Promise<Pick<LogPage, 'entries' | 'malformed'>> {
  const entries: Entry[] = [];
  const malformed: Malformed[] = [];
  for (let after: string | null = '-'; after !== null; ) {
    const page: LogPage = await readLog(store, after, PAGE);
    entries.push(...page.entries);
    malformed.push(...page.malformed);
    after = page.last;
  }
  return { entries, malformed };
}

/** The id of the last entry; null when the log is empty. */
export async function lastStreamId({ redis, tag }: CreditStore): Promise<string | null> {
  const [last] = await redis.xrevrange(redisKeys(tag).log, '+', '-', 'COUNT', 1);
  return last?.[0] ?? null;
}

/** The values as the scripts write them: in one field. */
function valuesOf([name, row = '']: readonly string[]): string[] {
  return name === 'row' ? row.split('|') : [];
}

const COUNT = /^\d{1,12}$/;
const CREDITS = /^-?\d{1,15}$/;

/** The row of a charge as `charge.lua` and the open calls have it; null for anything else. */
export function rowOfValues(values: readonly string[], atMs: number): LedgerDoc | null {
  const [kindText, orgId = '', epoch = '', n = '', delta = '', balanceAfter = '', rid = ''] = values;
  const [tool = '', keyId = ''] = values.slice(7);
  const kind = KINDS.find((one) => one === kindText);
  if (kind === undefined || !isOrgPart(orgId) || !isRequestPart(rid)) return null;
  if (!COUNT.test(epoch) || !COUNT.test(n) || !CREDITS.test(delta) || !CREDITS.test(balanceAfter))
    return null;
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
