import { type LedgerDoc, type Place, placeOf } from '../../store/account/ledger.ts';
import { redisKeys } from '../redis-keys.ts';
import type { CreditStore } from '../store.ts';

/** What Redis has of an organisation. `run`: the run that admitted it. */
export type Held = Place & { readonly g: number; readonly run: string };

export function isSame(one: Place, other: Place): boolean {
  return one.epoch === other.epoch && one.n === other.n && one.balance === other.balance;
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

/** Has every process ask the ledger again: the balance is of another history. */
export async function closeBalance({ redis, tag }: CreditStore, orgId: string): Promise<void> {
  await redis.hset(redisKeys(tag).org(orgId), 'run', '');
}

/**
 * Closes the balances that are older than these rows of the ledger, and returns whose they are. Redis came back
 * older while the rows were on their way, and its balance may have been admitted because it equalled the ledger
 * without them (rule 12.7).
 * @param rows in their order
 */
export async function closeOlder(store: CreditStore, rows: readonly LedgerDoc[]): Promise<string[]> {
  const lasts = new Map(rows.map((row) => [row.orgId, placeOf(row)]));
  const closed: string[] = [];
  for (const [orgId, last] of lasts) {
    const held = await heldBalance(store, orgId);
    if (held === null || !isAfter(last, held)) continue;
    await closeBalance(store, orgId);
    closed.push(orgId);
  }
  return closed;
}

export function isAfter(place: Place, last: Place): boolean {
  return place.epoch > last.epoch || (place.epoch === last.epoch && place.n > last.n);
}
