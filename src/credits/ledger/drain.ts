import { batches, groupBy } from '../../domain/group.ts';
import { AppError } from '../../errors.ts';
import { loadScript } from '../../redis-script.ts';
import { settleGrants } from '../../store/account/grants.ts';
import { appendRows, grantNumberOf, type LedgerDoc, rowsOf } from '../../store/account/ledger.ts';
import { countUsage } from '../../store/account/usage.ts';
import { redisKeys } from '../redis-keys.ts';
import type { CreditStore } from '../store.ts';
import { type Entry, lastStreamId, readLog } from './entry.ts';
import { stopCharging } from './held.ts';

const runDrained = loadScript(new URL('drained.lua', import.meta.url));

/** Entries that go to MongoDB at once. */
const BATCH = 500;

type Drained = {
  /** Entries read, also those that stay. */
  readonly read: number;
  /** Id of the last one. */
  readonly last: string;
};

/**
 * Moves the first entries after `after` from the log to the ledger, in their order: written to MongoDB,
 * counted as usage, their grants settled, then removed from Redis (rule 12.6). A crash in between repeats it,
 * and two processes may do it at once: every row and every count is made once. What cannot be read, or does not
 * continue the ledger, stays, and the rest goes on. Null when there is no entry.
 */
export async function drainBatch(store: CreditStore, after: string = '-'): Promise<Drained | null> {
  const { entries, malformed, last } = await readLog(store, after, BATCH);
  if (last === null) return null;
  const read = entries.map(({ row }) => row);
  const broken = await appendRows(store.db, read);
  const stored = entries.filter(({ row }) => !broken.has(row.orgId));
  const rows = stored.map(({ row }) => row);
  await countUsage(store.db, rows);
  await settleStored(store, rows);
  await removeFromLog(store, stored);
  const refused = entries.filter(({ row }) => broken.has(row.orgId));
  await stopForked(store, refused);
  return { read: entries.length + malformed.length, last };
}

/**
 * Entries that do not continue the ledger, and that Redis still has and the ledger lacks. Those that it lost while they
 * were on their way came after the end of their epoch: they stay with the customer, within the bound of rule 12.6.
 */
async function stopForked(store: CreditStore, refused: readonly Entry[]): Promise<void> {
  const [first, last] = [refused[0], refused.at(-1)];
  if (first === undefined || last === undefined) return;
  const inLog = await store.redis.xrange(redisKeys(store.tag).log, first.streamId, last.streamId);
  const waiting = new Set(inLog.map(([streamId]) => streamId));
  const entries = refused.filter(({ streamId }) => waiting.has(streamId));
  for (const [orgId, own] of groupBy(entries, ({ row }) => row.orgId)) {
    const rids = own.map(({ row }) => row.rid);
    const stored = new Map((await rowsOf(store.db, orgId, rids)).map(({ _id, rid }) => [_id, rid]));
    const forked = own.find(({ row }) => stored.get(row._id) !== row.rid);
    if (forked !== undefined) await stopCharging(store, orgId, forked);
  }
}

/** Moves what the log has now. One organisation that cannot go on keeps no other one waiting. */
export async function drainLog(store: CreditStore): Promise<void> {
  const end = await lastStreamId(store);
  let after = '-';
  // Another drainer may have removed the last one.
  while (end !== null && (after === '-' || isBefore(after, end))) {
    const drained = await drainBatch(store, after);
    if (drained === null || drained.read < BATCH) break;
    after = drained.last;
  }
}

function isBefore(streamId: string, other: string): boolean {
  const [[ms = 0, n = 0], [otherMs = 0, otherN = 0]] = [streamId, other].map((id) =>
    id.split('-').map(Number),
  ) as [number[], number[]];
  return ms < otherMs || (ms === otherMs && n < otherN);
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

/** From now on the ledger has these grants (rule 12.4). */
async function settleStored({ db }: CreditStore, rows: readonly LedgerDoc[]): Promise<void> {
  for (const { kind, orgId, rid } of rows) {
    if (kind === 'grant') await settleGrants(db, orgId, grantNumberOf(rid));
  }
}

/** Removes entries that the ledger has, and counts their credits out of what is at risk. */
export async function removeFromLog(store: CreditStore, entries: readonly Entry[]): Promise<void> {
  for (const batch of batches(entries, BATCH)) await removeBatch(store, batch);
}

/** What counts as at risk of these organisations, and of all, is nothing where the log is empty. */
export async function countEmptyLog(store: CreditStore, orgIds: readonly string[]): Promise<void> {
  if ((await lastStreamId(store)) === null) await removeBatch(store, [], orgIds);
}

async function removeBatch(store: CreditStore, entries: readonly Entry[], orgIds: readonly string[] = []) {
  const keys = redisKeys(store.tag);
  const names: string[] = [keys.log, keys.exposure, ...orgIds.map(keys.org)];
  const places = new Map<string, number>();
  const args = entries.flatMap(({ streamId, row }) => {
    const place = places.get(row.orgId) ?? names.push(keys.org(row.orgId));
    places.set(row.orgId, place);
    return [streamId, String(place), String(row.kind === 'charge' ? -row.delta : 0)];
  });
  const removed = await runDrained(store.redis, names, args);
  if (typeof removed !== 'number') throw new AppError('script_reply', `drained.lua returned ${removed}`);
}
