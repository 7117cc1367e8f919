import { loadScript } from '../../redis-script.ts';
import { type Place, rowAt } from '../../store/account/ledger.ts';
import { redisKeys } from '../redis-keys.ts';
import type { CreditStore } from '../store.ts';
import type { Entry } from './entry.ts';

/** What Redis has of an organisation. `run`: the run that admitted it. */
export type Held = Place & { readonly g: number; readonly run: string };

export function isSame(one: Place, other: Place): boolean {
  return one.epoch === other.epoch && one.n === other.n && one.balance === other.balance;
}

export function isAfter(place: Place, last: Place): boolean {
  return place.epoch > last.epoch || (place.epoch === last.epoch && place.n > last.n);
}

/** Null when Redis has no balance of the organisation. */
export async function heldBalance({ redis, tag }: CreditStore, orgId: string): Promise<Held | null> {
  const [epoch, n, bal, g, run] = await redis.hmget(
    redisKeys(tag).org(orgId),
    'epoch',
    'n',
    'bal',
    'g',
    'run',
  );
  if (!epoch) return null;
  return { epoch: Number(epoch), n: Number(n), balance: Number(bal), g: Number(g), run: run ?? '' };
}

/** Whether the ledger has been where Redis is: it has all of it, and perhaps more. */
export async function isInLedger({ db }: CreditStore, orgId: string, held: Held | null): Promise<boolean> {
  if (held === null || (held.n === 0 && held.balance === 0)) return true;
  return (await rowAt(db, orgId, held))?.balanceAfter === held.balance;
}

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
