import type { SearchEntry } from './search-entry.ts';
import {
  cleanMatchOf,
  type Match,
  type matchOf,
  misspeltMatch,
  type SearchQuery,
  type SearchTarget,
  scoreOf,
} from './search-rank.ts';
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
  const hits = new Map<SearchEntry, Hit>();
  const search = { shards, query, wanted, hits };
  takeAll(search, exactPass, cleanMatchOf);
  takeHeaviest(search, prefixPass);
  if (hits.size < wanted.limit) takeHeaviest(search, wordsPass);
  // Whatever has the words without an error was found before: nothing was cut off so far.
  if (hits.size < wanted.limit) takeAll(search, spellingPass, misspeltMatch);
  return [...hits.values()].sort(compareHits).slice(0, wanted.limit);
}

type Search = {
  readonly shards: readonly SearchShard[];
  readonly query: SearchQuery;
  readonly wanted: Wanted;
  readonly hits: Map<SearchEntry, Hit>;
};

/** Where the weight alone does not order a tier: whole names come first, and one error before two. */
function takeAll(search: Search, pass: Pass, judge: Judge): void {
  for (const shard of search.shards) {
    for (const place of pass(shard, search.query)) {
      const hit = hitOf(search, shard.targets[place], judge);
      if (hit !== null) search.hits.set(hit.entry, hit);
    }
  }
}

/** Of a tier that the weight orders: what is lighter than as many as are wanted is not looked at. */
function takeHeaviest(search: Search, pass: Pass): void {
  const { shards, query, wanted, hits } = search;
  let weights: number[] = [];
  for (const shard of shards) {
    for (const place of pass(shard, query)) {
      const target = shard.targets[place];
      const weight = target?.entry.weight ?? 0;
      if (weight < (weights[wanted.limit - 1] ?? 0)) break;
      const hit = hitOf(search, target, cleanMatchOf);
      if (hit === null) continue;
      hits.set(hit.entry, hit);
      weights = [...weights, weight].sort((a, b) => b - a).slice(0, wanted.limit);
    }
  }
}

type Judge = typeof matchOf;

/** Null for what is not wanted, does not match or was found already. */
function hitOf({ query, wanted, hits }: Search, target: SearchTarget | undefined, judge: Judge): Hit | null {
  if (target === undefined || hits.has(target.entry)) return null;
  if (wanted.type !== null && target.entry.type !== wanted.type) return null;
  const match = judge(query, target);
  return match === null ? null : { entry: target.entry, match, score: scoreOf(match, target.entry.weight) };
}

const keyOf = ({ type, id }: SearchEntry): string => `${type}:${id}`;

function compareHits(a: Hit, b: Hit): number {
  if (a.score !== b.score) return b.score - a.score;
  const [left, right] = [keyOf(a.entry), keyOf(b.entry)];
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
