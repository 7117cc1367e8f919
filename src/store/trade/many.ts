import { LRUCache } from 'lru-cache';
import type { Db } from 'mongodb';
import { countTrades, EVERY_DAY, type Listing } from './newest.ts';

/** For so long a list is taken to have more trades than are counted… */
const BELIEVED_MS = 60_000;
/** …if it had this part more: so many are not replaced or withdrawn in that time. */
const SPARE = 1 / 10;
const MAX_LISTS = 1_000;

/** What the last count of a list said. One of few is counted again, at once back to the first. */
type Size = 'many' | 'few';

const sizesIn = new WeakMap<Db, LRUCache<string, Size>>();

/**
 * How many match, counted up to a number or a few more (rule 11.8). To count 10,000 costs ten times as much as a page,
 * and on the Python engine nearly the time that a call has.
 */
export async function countUpTo(db: Db, listing: Listing, most: number): Promise<number> {
  const sizes = sizesIn.get(db) ?? new LRUCache<string, Size>({ max: MAX_LISTS, ttl: BELIEVED_MS });
  sizesIn.set(db, sizes);
  const key = keyOf(listing, most);
  const size = sizes.get(key);
  if (size === 'many') return most;
  const enough = most + Math.ceil(most * SPARE);
  const days = size === 'few' ? EVERY_DAY : listing.days;
  const count = await countTrades(db, { ...listing, days }, enough);
  sizes.set(key, count < enough ? 'few' : 'many');
  return count;
}

function keyOf({ scopes, rest, newest, oldest }: Listing, most: number): string {
  const plain = (_name: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value);
  return JSON.stringify([scopes, rest, newest, oldest, most], plain);
}
