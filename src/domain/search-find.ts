import type { SearchEntry } from './search-entry.ts';
import { type Match, matchOf, type SearchQuery, type SearchTarget, scoreOf } from './search-rank.ts';
import {
  exactPass,
  type Pass,
  prefixPass,
  type SearchShard,
  spellingPass,
  wordsPass,
} from './search-shard.ts';

export type Hit = { readonly entry: SearchEntry; readonly match: Match; readonly score: number };

export type Wanted = {
  /** Null for all. */
  readonly type: SearchEntry['type'] | null;
  readonly limit: number;
};

/**
 * The best `limit` answers over all shards, by score descending, then type, then id. Tier by tier:
 * the next one is only looked at for the places that are left.
 */
export function findEntries(shards: readonly SearchShard[], query: SearchQuery, wanted: Wanted): Hit[] {
  const hits = new Map<string, Hit>();
  const add = (pass: Pass, most: number): void => {
    for (const shard of shards) {
      for (const hit of take(shard, query, { pass, most, wanted, known: hits })) {
        hits.set(keyOf(hit.entry), hit);
      }
    }
  };
  add(exactPass, Number.POSITIVE_INFINITY);
  add(prefixPass, wanted.limit);
  if (hits.size < wanted.limit) add(wordsPass, wanted.limit);
  // Not cut by weight: a single error comes before two.
  if (hits.size < wanted.limit) add(spellingPass, Number.POSITIVE_INFINITY);
  return [...hits.values()].sort(compareHits).slice(0, wanted.limit);
}

type Taking = {
  readonly pass: Pass;
  readonly most: number;
  readonly wanted: Wanted;
  readonly known: ReadonlyMap<string, Hit>;
};

/** At most so many new answers of a shard, the heaviest. */
function take(shard: SearchShard, query: SearchQuery, { pass, most, wanted, known }: Taking): Hit[] {
  const taken: Hit[] = [];
  for (const place of pass(shard, query)) {
    const target = shard.targets[place];
    if (target === undefined || (wanted.type !== null && target.entry.type !== wanted.type)) continue;
    const hit = hitOf(query, target);
    if (hit === null || known.has(keyOf(hit.entry))) continue;
    if (taken.push(hit) >= most) break;
  }
  return taken;
}

function hitOf(query: SearchQuery, target: SearchTarget): Hit | null {
  const match = matchOf(query, target);
  return match === null ? null : { entry: target.entry, match, score: scoreOf(match, target.entry.weight) };
}

const keyOf = ({ type, id }: SearchEntry): string => `${type}:${id}`;

function compareHits(a: Hit, b: Hit): number {
  if (a.score !== b.score) return b.score - a.score;
  const [left, right] = [keyOf(a.entry), keyOf(b.entry)];
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
