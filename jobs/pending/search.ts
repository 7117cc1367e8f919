import { holders } from '../../queues/holders.ts';
import { search } from '../../queues/search.ts';
import { listPending } from '../../src/store/invalidation/pending.ts';
import { publishedCorpus } from '../../src/store/publish/corpus.ts';
import { SEARCH_PARTS } from '../../src/store/publish/search-index.ts';
import type { JobContext } from '../worker/context.ts';
import { BATCH, enqueueKeys, olderThan } from './enqueue.ts';

/** A part waits for its holders to be counted, but not longer: in a storm there is always more to count. */
const PATIENCE_MS = 30_000;

/**
 * Enqueues what is pending of the search index, except what was computed within the debounce. None
 * before the corpus is published. Only the dispatcher does: a search is seconds behind at most.
 */
export async function enqueuePendingSearch(context: JobContext): Promise<void> {
  const { db, config } = context;
  const published = await publishedCorpus(db);
  if (published === null) return;
  const ms = config.briefDebounceMs;
  const counts = await listPending(db, 'holders', BATCH);
  const countable = await olderThan(context, counts, { results: 'search_holders', ms });
  // One job counts all pending parts of its quarter.
  const quarters = new Map(countable.map((one) => [one.key.split('|')[1], one]));
  await enqueueKeys(context, holders, [...quarters.values()], ['part', 'quarterEnd']);
  const counting = new Set(counts.map(({ key }) => key.split('|')[0]));
  const parts = await listPending(db, 'search', SEARCH_PARTS.length);
  const results = 'search_parts';
  const counted = parts.filter(({ key }) => !counting.has(key));
  const uncounted = parts.filter(({ key }) => counting.has(key));
  const patience = { results, ms: Math.max(ms, PATIENCE_MS), missingAt: published.at } as const;
  await enqueueKeys(context, search, await olderThan(context, counted, { results, ms }), ['part']);
  await enqueueKeys(context, search, await olderThan(context, uncounted, patience), ['part']);
}
