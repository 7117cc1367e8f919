import { AppError } from '../../errors.ts';
import { appendRows } from '../../store/account/ledger.ts';
import { countUsage } from '../../store/account/usage.ts';
import { redisKeys } from '../redis-keys.ts';
import { loadScript } from '../script.ts';
import type { CreditStore } from '../store.ts';
import { type Entry, lastStreamId, readLog } from './entry.ts';

const runDrained = loadScript(new URL('drained.lua', import.meta.url));

/** Entries that go to MongoDB at once. */
const BATCH = 500;

type Drained = {
  /** Entries read, also those that stay. */
  readonly read: number;
  /** Id of the last one. */
  readonly last: string;
  /** Organisations whose entries do not continue the ledger. Their entries stay in the log. */
  readonly broken: ReadonlySet<string>;
};

/**
 * Moves the first entries after `after` from the log to the ledger, in their order: written to MongoDB,
 * counted as usage, then removed from Redis (rule 12.6). A crash in between repeats it, and two processes
 * may do it at once: every row and every count is made once. Null when there is no entry.
 */
export async function drainBatch(store: CreditStore, after: string = '-'): Promise<Drained | null> {
  const entries = await readLog(store, after, BATCH);
  const last = entries.at(-1);
  if (last === undefined) return null;
  const broken = await appendRows(
    store.db,
    entries.map(({ row }) => row),
  );
  const stored = entries.filter(({ row }) => !broken.has(row.orgId));
  await countUsage(
    store.db,
    stored.map(({ row }) => row),
  );
  await removeFromLog(store, stored);
  return { read: entries.length, last: last.streamId, broken };
}

/** Moves what the log has now. What does not continue the ledger stays. */
export async function drainLog(store: CreditStore): Promise<void> {
  const end = await lastStreamId(store);
  let after = '-';
  while (end !== null && after !== end) {
    const drained = await drainBatch(store, after);
    if (drained === null) return;
    after = drained.last;
    if (drained.read < BATCH) return;
  }
}

/** Removes entries that the ledger has, and counts their credits out of what is at risk. */
export async function removeFromLog(store: CreditStore, entries: readonly Entry[]): Promise<void> {
  if (entries.length === 0) return;
  const keys = redisKeys(store.tag);
  const names: string[] = [keys.log, keys.exposure];
  const places = new Map<string, number>();
  const args = entries.flatMap(({ streamId, row }) => {
    const place = places.get(row.orgId) ?? names.push(keys.org(row.orgId));
    places.set(row.orgId, place);
    return [streamId, String(place), String(row.kind === 'charge' ? -row.delta : 0)];
  });
  const removed = await runDrained(store.redis, names, args);
  if (!Number.isInteger(removed)) throw new AppError('script_reply', `drained.lua returned ${removed}`);
}
