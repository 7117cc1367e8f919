import { redisKeys } from '../redis-keys.ts';
import type { CreditStore } from '../store.ts';

/**
 * Stops the charges of an organisation until the operator decides (`fenceCredits`): Redis has a history of its balance
 * that does not continue the ledger (rule 12.7).
 */
export async function stopCharging(store: CreditStore, orgId: string, redisHas: unknown): Promise<void> {
  const { forks, org } = redisKeys(store.tag);
  const isNew = (await store.redis.sadd(forks, orgId)) === 1;
  await store.redis.hset(org(orgId), 'run', '');
  if (isNew) store.log?.error({ orgId, redisHas }, 'charging is stopped: run tidemark credits fence');
}

export async function isStopped({ redis, tag }: CreditStore, orgId: string): Promise<boolean> {
  return (await redis.sismember(redisKeys(tag).forks, orgId)) === 1;
}
