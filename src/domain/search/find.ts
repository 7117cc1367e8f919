import type { SearchEntry } from './entry.ts';
import {
  cleanMatchOf,
  type Match,
  type matchOf,
  misspeltMatch,
  type SearchQuery,
  type SearchTarget,
  scoreOf,
} from './rank.ts';
import { exactPass, type Pass, prefixPass, type SearchShard, spellingPass, wordsPass } from './shard.ts';

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
  takeExact(search);
  take(search, prefixPass, [cleanMatchOf]);
  take(search, wordsPass, [cleanMatchOf]);
  // Whatever has the words without an error was found before: nothing was cut off so far.
  take(search, spellingPass, [singleErrorMatch, misspeltMatch]);
  return [...hits.values()].sort(compareHits).slice(0, wanted.limit);
}

type Search = {
  readonly shards: readonly SearchShard[];
  readonly query: SearchQuery;
  readonly wanted: Wanted;
  readonly hits: Map<SearchEntry, Hit>;
};

/** All of them: identifiers, and whole names, which come before heavier names that only begin so. */
function takeExact(search: Search): void {
  for (const shard of search.shards) {
    for (const place of exactPass(shard, search.query)) {
      const hit = hitOf(search, shard.targets[place], cleanMatchOf);
      if (hit !== null) search.hits.set(hit.entry, hit);
    }
  }
}

/** The candidates of a pass, one judge after another as long as there are places left. */
function take(search: Search, pass: Pass, judges: readonly Judge[]): void {
  const { shards, query, wanted, hits } = search;
  if (hits.size >= wanted.limit) return;
  const candidates = shards.map((shard) => ({ shard, places: pass(shard, query) }));
  for (const judge of judges) {
    if (hits.size < wanted.limit) takeHeaviest(search, candidates, judge);
  }
}

type Candidates = { readonly shard: SearchShard; readonly places: readonly number[] };

/**
 * What one judge accepts is ordered by weight: lighter candidates than as many as are wanted are not
 * looked at.
 */
function takeHeaviest(search: Search, candidates: readonly Candidates[], judge: Judge): void {
  const { wanted, hits } = search;
  let weights: number[] = [];
  for (const { shard, places } of candidates) {
    for (const place of places) {
      const target = shard.targets[place];
      const weight = target?.entry.weight ?? 0;
      if (weight < (weights[wanted.limit - 1] ?? 0)) break;
      const hit = hitOf(search, target, judge);
      if (hit === null) continue;
      hits.set(hit.entry, hit);
      weights = [...weights, weight].sort((a, b) => b - a).slice(0, wanted.limit);
    }
  }
}

/** One error in all comes before two. */
const singleErrorMatch: Judge = (query, target) => {
  const match = misspeltMatch(query, target);
  return match?.isBest ? match : null;
};

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
