import { leaderboard, peers, search } from '../../queues/derive.ts';
import type { QueueName } from '../../queues/index.ts';
import { hasPending, hasUnsettled, listPending } from '../../src/store/invalidation/invalidation.ts';
import { publishedCorpus } from '../../src/store/publish/corpus.ts';
import { LAST_WINDOW, leaderboardDue } from '../../src/store/publish/leaderboard.ts';
import { SEARCH_PARTS } from '../../src/store/publish/search-index.ts';
import type { JobContext } from '../worker/context.ts';
import { BATCH, BUSY_MS, enqueueKeys, olderThan } from './enqueue.ts';
import { isReading } from './units.ts';

/**
 * Enqueues the pending quarters: when no report changes any more those that were computed longer ago
 * than the debounce, else those of more than ten minutes ago.
 */
export async function enqueuePendingPeers(context: JobContext, upstream: readonly QueueName[]) {
  const { db, config, producer } = context;
  const pending = await listPending(db, 'peers', BATCH);
  // A job that waits or runs reads what is pending when it starts.
  if (pending.length === 0 || (await producer.load(['peers'])) > 0) return;
  const isBusy = (await isReading(context, upstream)) || (await hasPending(db, 'report'));
  const debounce = { results: 'peers', ms: isBusy ? BUSY_MS : config.briefDebounceMs } as const;
  await enqueueKeys(context, peers, await olderThan(context, pending, debounce), ['quarterEnd']);
}

/**
 * Enqueues the leaderboard when it is due: when no report changes any more and the board is older than
 * the debounce, else when it is older than ten minutes. The first one waits only for the corpus to be
 * published, which has waited as long.
 */
export async function enqueuePendingLeaderboard(context: JobContext, upstream: readonly QueueName[]) {
  const { db, config, producer } = context;
  const due = await leaderboardDue(db);
  // A job that waits or runs reads what is due when it starts. A second one would compute it again.
  if (due === null || (await producer.load(['leaderboard'])) > 0) return;
  const isBusy = (await isReading(context, upstream)) || (await hasUnsettled(db));
  const debounce = { results: 'leaderboard', ms: isBusy ? BUSY_MS : config.briefDebounceMs } as const;
  const [board] = await olderThan(context, [{ key: LAST_WINDOW }], debounce);
  if (board !== undefined) await producer.enqueue(leaderboard, due);
}

/** A part waits for its holders to be counted, but not longer: in a storm there is always more to count. */
const PATIENCE_MS = 30_000;

/**
 * Enqueues what is pending of the search index, except what was computed within the debounce. None
 * before the corpus is published. Only the dispatcher does: a search is seconds behind at most.
 */
export async function enqueuePendingSearch(context: JobContext): Promise<void> {
  const { db, config } = context;
  const counts = await listPending(db, 'holders', BATCH);
  const parts = await listPending(db, 'search', SEARCH_PARTS.length);
  const published = counts.length + parts.length === 0 ? null : await publishedCorpus(db);
  if (published === null) return;
  const ms = config.briefDebounceMs;
  const countable = await olderThan(context, counts, { results: 'search_holders', ms });
  // One job counts all pending parts of its quarter.
  const quarters = new Map(countable.map((one) => [one.key.split('|')[1], one]));
  await enqueueKeys(context, search, [...quarters.values()], ['part', 'quarterEnd']);
  const counting = new Set(counts.map(({ key }) => key.split('|')[0]));
  const results = 'search_parts';
  const counted = parts.filter(({ key }) => !counting.has(key));
  const uncounted = parts.filter(({ key }) => counting.has(key));
  const patience = { results, ms: Math.max(ms, PATIENCE_MS), missingAt: published.at } as const;
  await enqueueKeys(context, search, await olderThan(context, counted, { results, ms }), ['part']);
  await enqueueKeys(context, search, await olderThan(context, uncounted, patience), ['part']);
}
