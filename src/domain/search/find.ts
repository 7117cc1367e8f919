import { compareEntries, type SearchEntry } from './entry.ts';
import {
  beginningMatchOf,
  cleanMatchOf,
  type Match,
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

type Judge = typeof cleanMatchOf;

/** One error in all comes before two. */
const singleErrorMatch: Judge = (query, target) => {
  const match = misspeltMatch(query, target);
  return match?.isBest ? match : null;
};

/**
 * How each tier finds candidates and judges them. After the exact tier, which includes whole names,
 * the weight alone orders what one judge accepts.
 */
const TIERS: readonly (readonly [pass: Pass, ...judges: Judge[]])[] = [
  [exactPass, cleanMatchOf],
  // A ticker is among the beginnings, though a query that cannot be one does not begin it.
  [prefixPass, beginningMatchOf],
  [wordsPass, cleanMatchOf],
  [spellingPass, singleErrorMatch, misspeltMatch],
];

/**
 * The best `limit` answers over all shards, by score descending, then type, then id. The next tier is
 * only searched for the places that are left.
 */
export function findEntries(shards: readonly SearchShard[], query: SearchQuery, wanted: Wanted): Hit[] {
  const search = { query, wanted, hits: new Map<SearchEntry, Hit>() };
  for (const [pass, ...judges] of TIERS) {
    if (search.hits.size >= wanted.limit) break;
    const candidates = shards.map((shard) => ({ shard, places: pass(shard, query) }));
    const enough = pass === exactPass ? Number.POSITIVE_INFINITY : wanted.limit;
    for (const judge of judges) {
      if (search.hits.size < wanted.limit) addHits(search, candidates, { judge, enough });
    }
  }
  return [...search.hits.values()].sort(compareHits).slice(0, wanted.limit);
}

type Search = {
  readonly query: SearchQuery;
  readonly wanted: Wanted;
  readonly hits: Map<SearchEntry, Hit>;
};
type Candidates = { readonly shard: SearchShard; readonly places: readonly number[] };

/** Stops in each shard at candidates that are lighter than `enough` others which were accepted. */
function addHits(
  search: Search,
  candidates: readonly Candidates[],
  { judge, enough }: { readonly judge: Judge; readonly enough: number },
): void {
  let weights: number[] = [];
  for (const { shard, places } of candidates) {
    for (const place of places) {
      const target = shard.targets[place];
      if (target === undefined || target.entry.weight < (weights[enough - 1] ?? 0)) break;
      const hit = hitOf(search, target, judge);
      if (hit === null) continue;
      search.hits.set(hit.entry, hit);
      weights = [...weights, hit.entry.weight].sort((a, b) => b - a).slice(0, enough);
    }
  }
}

/** Null for what is not wanted, does not match or was found already. */
function hitOf({ query, wanted, hits }: Search, target: SearchTarget, judge: Judge): Hit | null {
  const { entry } = target;
  if (hits.has(entry) || (wanted.type !== null && entry.type !== wanted.type)) return null;
  const match = judge(query, target);
  return match === null ? null : { entry, match, score: scoreOf(match, entry.weight) };
}

/** Equal scores are those of equal weights. */
function compareHits(a: Hit, b: Hit): number {
  return b.score - a.score || compareEntries(a.entry, b.entry);
}
