import { randomBytes } from 'node:crypto';
import { groupBy } from '../../domain/group.ts';
import { AppError } from '../../errors.ts';
import { organizationIds } from '../../store/account/organizations.ts';
import { redisKeys } from '../redis-keys.ts';
import { redisRun } from '../run.ts';
import type { CreditStore } from '../store.ts';
import { countEmptyLog, drainLog } from './drain.ts';
import { type Malformed, wholeLog } from './entry.ts';
import { heldBalance, isInLedger, stopCharging } from './held.ts';
import { rebuild } from './rebuild.ts';

const AT_ONCE = 200;

/** What a fence decided. */
type Fenced = {
  /** The organisations whose balance Redis decided. */
  readonly rebuilt: readonly string[];
  /** Entries that cannot be read, which were removed from the log. */
  readonly removed: readonly Malformed[];
};

/**
 * Ends the run of Redis, as a restart does, so that every balance is compared with the ledger before its next charge,
 * and decides the forks (rule 12.7): where Redis has what the ledger lacks, Redis is right. One that fails leaves the
 * others decided, and is thrown. For when MongoDB or Redis was restored, or charging is stopped. Processes may run on.
 * Safe to repeat.
 */
export async function fenceCredits(store: CreditStore): Promise<Fenced> {
  const { redis, db } = store;
  const keys = redisKeys(store.tag);
  // Together: no script of the old run charges after one of the new run was loaded.
  await redis.multi().set(keys.fence, randomBytes(8).toString('hex')).script('FLUSH').exec();
  await drainLog(store);
  for await (const orgIds of organizationIds(db, AT_ONCE)) {
    await Promise.all(orgIds.map((orgId) => stopIfAhead(store, orgId)));
  }
  // Before the log is read: an organisation that is stopped gets no more entries.
  const rebuilt = await redis.smembers(keys.forks);
  const { entries, malformed } = await wholeLog(store);
  const left = groupBy(entries, ({ row }) => row.orgId);
  let failure: unknown = null;
  for (const orgId of rebuilt) {
    await rebuild(store, orgId, left.get(orgId) ?? []).catch((error: unknown) => {
      failure ??= error;
    });
  }
  if (failure !== null) throw failure;
  if (malformed.length > 0) await redis.xdel(keys.log, ...malformed.map(({ streamId }) => streamId));
  await countEmptyLog(store, []);
  return { rebuilt, removed: malformed };
}

/** Of a balance that is in force, charges may be on their way to the ledger. */
async function stopIfAhead(store: CreditStore, orgId: string): Promise<void> {
  const held = await heldBalance(store, orgId);
  const runId = await redisRun(store.redis, redisKeys(store.tag).fence).id();
  if (held === null || held.run === runId || (await isInLedger(store, orgId, held))) return;
  await stopCharging(store, orgId, held);
}

/** Throws `apis_running`: an API that drains charges would add them to a ledger that is being restored. */
export async function requireNoDrainer({ redis, tag }: Pick<CreditStore, 'redis' | 'tag'>): Promise<void> {
  if ((await redis.exists(redisKeys(tag).drainer)) === 0) return;
  const message = 'An API runs, or was killed in the last seconds. Stop all processes, then run this again.';
  throw new AppError('apis_running', message, { retry: true });
}
