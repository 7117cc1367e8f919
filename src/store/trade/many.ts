import { LRUCache } from 'lru-cache';
import type { Db } from 'mongodb';
import { countTrades, type Listing } from './newest.ts';

/** So long it is believed that a list has more trades than are counted… */
const BELIEVED_MS = 60_000;
/** …if it had this part more: so many are not replaced or withdrawn meanwhile. */
const SPARE = 1 / 10;
const MAX_LISTS = 1_000;

const manyIn = new WeakMap<Db, LRUCache<string, true>>();

/** How many match, counted up to a number or a few more. To count 10,000 costs ten times as much as to read a page. */
export async function countUpTo(db: Db, listing: Listing, most: number): Promise<number> {
  const many = manyIn.get(db) ?? new LRUCache<string, true>({ max: MAX_LISTS, ttl: BELIEVED_MS });
  manyIn.set(db, many);
  const key = keyOf(listing, most);
  if (many.has(key)) return most;
  const enough = most + Math.ceil(most * SPARE);
  const count = await countTrades(db, listing, enough);
  if (count >= enough) many.set(key, true);
  return count;
}

function keyOf({ scopes, rest, newest, oldest }: Listing, most: number): string {
  const plain = (_name: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value);
  return JSON.stringify([scopes, rest, newest, oldest, most], plain);
}
