import type { Redis } from 'ioredis';
import { groupBy } from '../../domain/group.ts';
import { rowOf } from '../../store/account/ledger.ts';
import { findOrganization } from '../../store/account/organizations.ts';
import { applyGrants } from '../grant.ts';
import { redisKeys } from '../redis-keys.ts';
import type { CreditStore } from '../store.ts';
import { openWallet } from '../wallet.ts';
import { rowOfValues } from './entry.ts';
import { openBalance } from './open-balance.ts';

/** A process that was not heard of for so long sends no answer any more (`settle.ts` sees to that). */
export const DEAD_MS = 30_000;
const FORGOTTEN_MS = 86_400_000;

/**
 * Voids the charges that dead processes had not answered, as rows of kind `crash_void` (rule 12.9). A call
 * with an Idempotency-Key is never open: its next try gets the answer free. Safe to repeat, and safe in
 * several processes at once. Returns how many were voided.
 */
export async function voidCallsOfDead(store: CreditStore): Promise<number> {
  const { redis, tag } = store;
  const { openCalls, processes } = redisKeys(tag);
  const open = Object.entries(await redis.hgetall(openCalls));
  const now = await redisTime(redis);
  let voided = 0;
  for (const [processId, calls] of groupBy(open, ([name]) => name.split('|', 1)[0] ?? '')) {
    const heard = await redis.zscore(processes, processId);
    // Redis may have lost what it heard: from now on the process has time to beat again.
    if (heard === null) await redis.zadd(processes, 'NX', now, processId);
    else if (now - Number(heard) > DEAD_MS) {
      for (const [name, row] of calls) if (await voidCall(store, name, row)) voided += 1;
    }
  }
  await redis.zremrangebyscore(processes, 0, now - FORGOTTEN_MS);
  return voided;
}

async function voidCall(store: CreditStore, name: string, text: string): Promise<boolean> {
  const keys = redisKeys(store.tag);
  const { orgId, keyId, tool, rid, delta } = rowOfValues(text.split('|'), 0);
  // A Redis of before has calls open again that were voided since.
  if ((await rowOf(store.db, { orgId, rid, kind: 'void' })) !== null) {
    await store.redis.hdel(keys.openCalls, name);
    return false;
  }
  const org = (await findOrganization(store.db, orgId)) ?? { _id: orgId, epoch: 1 };
  await applyGrants(store, org);
  const account = { orgId, keyId, epoch: await openBalance(store, org) };
  const call = { cost: -delta, tool, attemptId: rid, request: rid, fingerprint: '' };
  const proof = { kind: 'crash_void', cost: -delta, openCall: name } as const;
  return (await openWallet(store.redis, keys).void(account, call, proof)) === 'voided';
}

/** In epoch ms. */
export async function redisTime(redis: Redis): Promise<number> {
  const [seconds, micros] = await redis.time();
  return Number(seconds) * 1_000 + Math.floor(Number(micros) / 1_000);
}
