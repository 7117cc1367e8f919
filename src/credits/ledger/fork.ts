import { loadScript } from '../../redis-script.ts';
import { redisKeys } from '../redis-keys.ts';
import type { CreditStore } from '../store.ts';
import type { Entry } from './entry.ts';
import type { Held } from './held.ts';

const runStop = loadScript(new URL('stop.lua', import.meta.url));

/**
 * Stops the charges of an organisation until the operator decides (`fenceCredits`): Redis has a history of its balance
 * that does not continue the ledger (rule 12.7). Nothing happens when Redis does not have it any more.
 */
export async function stopCharging(store: CreditStore, orgId: string, redisHas: Entry | Held): Promise<void> {
  const { forks, log, org } = redisKeys(store.tag);
  const found = 'streamId' in redisHas ? [redisHas.streamId] : ['', redisHas.epoch, redisHas.n];
  const stopped = await runStop(store.redis, [org(orgId), log, forks], [orgId, ...found.map(String)]);
  if (stopped === 1) store.log?.error({ orgId, redisHas }, 'charging is stopped: run tidemark credits fence');
}

export async function isStopped({ redis, tag }: CreditStore, orgId: string): Promise<boolean> {
  return (await redis.sismember(redisKeys(tag).forks, orgId)) === 1;
}
