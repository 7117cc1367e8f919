import { type Place, rowAt } from '../../store/account/ledger.ts';
import { redisKeys } from '../redis-keys.ts';
import type { CreditStore } from '../store.ts';

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
