import type { Redis } from 'ioredis';
import { groupBy } from '../../domain/group.ts';
import { isVoided, type LedgerDoc } from '../../store/account/ledger.ts';
import { findOrganization } from '../../store/account/organizations.ts';
import { applyGrants } from '../grant.ts';
import { redisKeys } from '../redis-keys.ts';
import type { CreditStore } from '../store.ts';
import { openWallet } from '../wallet.ts';
import { rowOfValues } from './entry.ts';
import { openBalance } from './open-balance.ts';

/** A process that does not beat for so long sends no answer any more (`settle.ts` sees to that). */
export const DEAD_MS = 30_000;
/** Between two looks more counts as this: meanwhile it was Redis, or we, that did not answer. */
const MAX_LOOK_MS = 10_000;
const FORGOTTEN_MS = 86_400_000;

/** How long a process had its last beat, as we saw it. */
type Silence = { readonly beat: string | null; readonly ms: number };

/**
 * Voids the charges that dead processes had not answered, as rows of kind `crash_void` (rule 12.9). A call
 * with an Idempotency-Key is never open: its next try gets the answer free. Safe to repeat, and safe in
 * several processes at once.
 *
 * A process is dead when its beat did not change while we looked, by our own clock: the clock of Redis may be
 * set, and while Redis does not answer nobody can beat.
 * @param monotonic in milliseconds
 */
export function watchOpenCalls(store: CreditStore, monotonic: () => number = () => performance.now()) {
  let silences = new Map<string, Silence>();
  let lookedAt = monotonic();
  /** Whether each process is dead. */
  const look = async (processIds: Iterable<string>): Promise<Set<string>> => {
    const { processes } = redisKeys(store.tag);
    const next = new Map<string, Silence>();
    const sinceMs = Math.min(monotonic() - lookedAt, MAX_LOOK_MS);
    lookedAt = monotonic();
    for (const processId of processIds) {
      const beat = await store.redis.zscore(processes, processId);
      const before = silences.get(processId);
      const ms = before !== undefined && before.beat === beat ? before.ms + sinceMs : 0;
      next.set(processId, { beat, ms });
    }
    silences = next;
    return new Set([...next].filter(([, { ms }]) => ms > DEAD_MS).map(([processId]) => processId));
  };
  return {
    /** Returns how many calls were voided. */
    async voidCallsOfDead(): Promise<number> {
      const { redis, tag } = store;
      const { openCalls, processes, forks } = redisKeys(tag);
      const open = groupBy(Object.entries(await redis.hgetall(openCalls)), processOf);
      const dead = await look(open.keys());
      // Those of an organisation that is stopped wait for the fence: the drain waits for this.
      const stopped = new Set(await redis.smembers(forks));
      const calls = [...dead]
        .flatMap((processId) => open.get(processId) ?? [])
        .filter(([, text]) => !stopped.has(text.split('|')[1] ?? ''));
      const failures: string[] = [];
      let voided = 0;
      for (const [name, text] of calls) {
        // One that cannot be voided keeps no other one waiting.
        const isVoided = await voidCall(store, name, text).catch((error) => {
          failures.push(`${name}: ${error}`);
          return false;
        });
        if (isVoided) voided += 1;
      }
      if (failures.length > 0)
        store.log?.error({ failures: failures.slice(0, 5) }, 'open calls were not voided');
      await redis.zremrangebyscore(processes, 0, (await redisTime(redis)) - FORGOTTEN_MS);
      return voided;
    },
  };
}

const processOf = ([name]: readonly [string, string]): string => name.split('|', 1)[0] ?? '';

async function voidCall(store: CreditStore, name: string, text: string): Promise<boolean> {
  const row = rowOfValues(text.split('|'), 0);
  if (row?.kind === 'charge' && row.delta < 0 && row.delta >= -MAX_COST) return voidCharge(store, name, row);
  store.log?.error({ name, text }, 'an open call cannot be read: its charge stands');
  await store.redis.hdel(redisKeys(store.tag).openCalls, name);
  return false;
}

/** As in charge.lua. */
const MAX_COST = 1_000;

async function voidCharge(store: CreditStore, name: string, row: LedgerDoc): Promise<boolean> {
  const keys = redisKeys(store.tag);
  const { orgId, keyId, tool, rid, delta } = row;
  const org = (await findOrganization(store.db, orgId)) ?? { _id: orgId, epoch: 1 };
  await applyGrants(store, org);
  const account = { orgId, keyId, epoch: await openBalance(store, org) };
  // A Redis of before has calls open again that were voided since.
  if (await isVoided(store.db, orgId, rid)) {
    await store.redis.hdel(keys.openCalls, name);
    return false;
  }
  const call = { cost: -delta, tool, attemptId: rid, request: rid, fingerprint: '' };
  const proof = { kind: 'crash_void', cost: -delta, openCall: name } as const;
  return (await openWallet(store.redis, keys).void(account, call, proof)) === 'voided';
}

/** In epoch ms. */
export async function redisTime(redis: Redis): Promise<number> {
  const [seconds, micros] = await redis.time();
  return Number(seconds) * 1_000 + Math.floor(Number(micros) / 1_000);
}
