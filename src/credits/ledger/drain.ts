import { batches } from '../../domain/group.ts';
import { AppError } from '../../errors.ts';
import { loadScript } from '../../redis-script.ts';
import { settleGrants } from '../../store/account/grants.ts';
import { appendRows, grantNumberOf, type LedgerDoc } from '../../store/account/ledger.ts';
import { setAside } from '../../store/account/set-aside.ts';
import { countUsage } from '../../store/account/usage.ts';
import { redisKeys } from '../redis-keys.ts';
import type { CreditStore } from '../store.ts';
import { type Entry, lastStreamId, type Malformed, readLog } from './entry.ts';
import { closeOlder } from './held.ts';
import { reportLost } from './refused.ts';

const runDrained = loadScript(new URL('drained.lua', import.meta.url));

/** Entries that go to MongoDB at once. */
const BATCH = 500;

type Drained = {
  /** Entries read, also those that stay. */
  readonly read: number;
  /** Id of the last one. */
  readonly last: string;
  /** Organisations whose entries do not continue the ledger, and stay in the log, or whose balance is older than it. */
  readonly broken: ReadonlySet<string>;
};

/**
 * Moves the first entries after `after` from the log to the ledger, in their order: written to MongoDB,
 * counted as usage, their grants settled, then removed from Redis (rule 12.6). A crash in between repeats it,
 * and two processes may do it at once: every row and every count is made once. What cannot be read is set
 * aside, so that the rest goes on. Null when there is no entry.
 */
export async function drainBatch(store: CreditStore, after: string = '-'): Promise<Drained | null> {
  const { entries, malformed, last } = await readLog(store, after, BATCH);
  if (last === null) return null;
  await setAsideEntries(store, malformed);
  const broken = await appendRows(
    store.db,
    entries.map(({ row }) => row),
  );
  const stored = entries.filter(({ row }) => !broken.has(row.orgId));
  const rows = stored.map(({ row }) => row);
  await countUsage(store.db, rows);
  await settleStored(store, rows);
  const removed = await removeFromLog(store, stored);
  // Another drainer has removed the others, or Redis came back without them.
  const older = removed === stored.length ? [] : await closeOlder(store, rows);
  await reportLost(
    store,
    entries.filter(({ row }) => broken.has(row.orgId)),
  );
  return { read: entries.length + malformed.length, last, broken: new Set([...broken, ...older]) };
}

/**
 * Moves what the log has now. What does not continue the ledger stays; returns whose it is. One organisation
 * that cannot go on keeps no other one waiting.
 */
export async function drainLog(store: CreditStore): Promise<ReadonlySet<string>> {
  const end = await lastStreamId(store);
  const broken = new Set<string>();
  let after = '-';
  while (end !== null && after !== end) {
    const drained = await drainBatch(store, after);
    if (drained === null) break;
    for (const orgId of drained.broken) broken.add(orgId);
    after = drained.last;
    if (drained.read < BATCH) break;
  }
  return broken;
}

const waiting = new Map<string, Promise<unknown>>();
const running = new Map<string, Promise<unknown>>();

/**
 * {@link drainLog} for many callers at once: all that come before it begins share it, so it has what each of
 * them saw in the log.
 */
export function drainLogOnce(store: CreditStore): Promise<unknown> {
  const { tag } = store;
  const shared = waiting.get(tag);
  if (shared !== undefined) return shared;
  const drain = (): Promise<unknown> => {
    waiting.delete(tag);
    const drained = drainLog(store).finally(() => running.get(tag) === drained && running.delete(tag));
    running.set(tag, drained);
    return drained;
  };
  const next = (running.get(tag) ?? Promise.resolve()).catch(() => undefined).then(drain);
  waiting.set(tag, next);
  return next;
}

/** Keeps what is no entry for the operator, then removes it: what follows it must not wait. */
async function setAsideEntries(store: CreditStore, malformed: readonly Malformed[]): Promise<void> {
  if (malformed.length === 0) return;
  const at = store.now().toISOString();
  await setAside(
    store.db,
    malformed.map(({ streamId, text }) => ({ from: 'log', name: streamId, text, at })),
  );
  await store.redis.xdel(redisKeys(store.tag).log, ...malformed.map(({ streamId }) => streamId));
  await removeBatch(store, []);
  store.log?.error({ malformed }, 'entries of the credits log cannot be read and were set aside');
}

/** From now on the ledger has these grants (rule 12.4). */
async function settleStored({ db }: CreditStore, rows: readonly LedgerDoc[]): Promise<void> {
  for (const { kind, orgId, rid } of rows) {
    if (kind === 'grant') await settleGrants(db, orgId, grantNumberOf(rid));
  }
}

/**
 * Removes entries that the ledger has, and counts their credits out of what is at risk. Returns how many there
 * were.
 */
export async function removeFromLog(store: CreditStore, entries: readonly Entry[]): Promise<number> {
  let removed = 0;
  for (const batch of batches(entries, BATCH)) removed += await removeBatch(store, batch);
  return removed;
}

async function removeBatch(store: CreditStore, entries: readonly Entry[]): Promise<number> {
  const keys = redisKeys(store.tag);
  const names: string[] = [keys.log, keys.exposure];
  const places = new Map<string, number>();
  const args = entries.flatMap(({ streamId, row }) => {
    const place = places.get(row.orgId) ?? names.push(keys.org(row.orgId));
    places.set(row.orgId, place);
    return [streamId, String(place), String(row.kind === 'charge' ? -row.delta : 0)];
  });
  const removed = await runDrained(store.redis, names, args);
  if (typeof removed !== 'number') throw new AppError('script_reply', `drained.lua returned ${removed}`);
  return removed;
}
