import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../log.ts';
import { ensureLedgerIndexes } from '../../store/account/ledger.ts';
import { findOrganization } from '../../store/account/organizations.ts';
import { applyGrants, applyPendingGrants } from '../grant.ts';
import { redisKeys } from '../redis-keys.ts';
import type { CreditStore } from '../store.ts';
import { drainBatch, drainLog } from './drain.ts';
import { closeBalance } from './open-balance.ts';
import { voidCallsOfDead } from './sweep.ts';

/** Whoever stands by takes over after this. Two drainers at once do no harm. */
const LEASE_MS = 5_000;
const RENEW_MS = 1_000;
/** Between two looks at an empty log: what is charged meanwhile is what Redis alone knows. */
const PAUSE_MS = 50;
const STANDBY_MS = 1_000;
const SWEEP_MS = 5_000;
const WARN_MS = 10_000;

export type Drainer = { readonly close: () => Promise<void> };

/**
 * Keeps the log of charges drained to MongoDB (rule 12.6), voids what dead processes left open, and applies
 * grants that a crash left. Every API process runs one; one of them holds the lease and the others stand by.
 */
export function startDrainer(store: CreditStore, log: Pick<Logger, 'warn'>): Drainer {
  const { drainer } = redisKeys(store.tag);
  const token = randomBytes(8).toString('hex');
  const stopping = new AbortController();
  const pause = (ms: number) => sleep(ms, undefined, { signal: stopping.signal }).catch(() => undefined);
  let renewedAt = Number.NEGATIVE_INFINITY;
  let sweptAt = Number.NEGATIVE_INFINITY;
  let warnedAt = Number.NEGATIVE_INFINITY;

  async function holdsLease(): Promise<boolean> {
    if (performance.now() - renewedAt < RENEW_MS) return true;
    const taken = await store.redis.set(drainer, token, 'PX', LEASE_MS, 'NX');
    if (taken === null && (await store.redis.get(drainer)) !== token) return false;
    await store.redis.pexpire(drainer, LEASE_MS);
    renewedAt = performance.now();
    return true;
  }

  /** Returns how long to wait before the next turn. */
  async function turn(): Promise<number> {
    if (!(await holdsLease())) return STANDBY_MS;
    const drained = await drainBatch(store);
    for (const orgId of drained?.broken ?? []) await reconcile(store, orgId);
    if (performance.now() - sweptAt > SWEEP_MS) {
      sweptAt = performance.now();
      await voidCallsOfDead(store);
      await applyPendingGrants(store);
    }
    return drained === null ? PAUSE_MS : 0;
  }

  async function run(): Promise<void> {
    await ensureLedgerIndexes(store.db).catch(() => undefined);
    while (!stopping.signal.aborted) {
      try {
        await pause(await turn());
      } catch (error) {
        renewedAt = Number.NEGATIVE_INFINITY;
        if (performance.now() - warnedAt > WARN_MS)
          log.warn({ error: String(error) }, 'credits are not drained');
        warnedAt = performance.now();
        await pause(STANDBY_MS);
      }
    }
  }

  const running = run();
  return {
    /** Drains what is left, whoever has the lease, and gives it back. Throws when a service does not answer. */
    async close() {
      stopping.abort();
      await running;
      await drainLog(store);
      if ((await store.redis.get(drainer)) === token) await store.redis.del(drainer);
    },
  };
}

/** Entries that do not continue the ledger: nothing is charged until their balance is rebuilt. */
async function reconcile(store: CreditStore, orgId: string): Promise<void> {
  const org = await findOrganization(store.db, orgId);
  await closeBalance(store, orgId);
  // A MongoDB of before the organisation was made has no document of it.
  await applyGrants(store, org ?? { _id: orgId, epoch: 1 });
}
