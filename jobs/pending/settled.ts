import type { QueueName } from '../../queues/index.ts';
import { leaderboard } from '../../queues/leaderboard.ts';
import { peers } from '../../queues/peers.ts';
import { countPending, countUnsettled, listPending } from '../../src/store/invalidation/pending.ts';
import { leaderboardDue } from '../../src/store/publish/leaderboard.ts';
import type { JobContext } from '../worker/context.ts';
import { BATCH, BUSY_MS, enqueueKeys, olderThan } from './enqueue.ts';
import { hasWaitingHistory } from './filing-units.ts';

/**
 * Enqueues the pending quarters: when no report changes any more those that were computed longer ago
 * than the debounce, else those of more than ten minutes ago.
 */
export async function enqueuePendingPeers(context: JobContext, upstream: readonly QueueName[]) {
  const { db, config, producer } = context;
  const pending = await listPending(db, 'peers', BATCH);
  // A job that waits or runs reads what is pending when it starts.
  if (pending.length === 0 || (await producer.load(['peers'])) > 0) return;
  const isReading = (await producer.load(upstream)) > 0 || (await hasWaitingHistory(context));
  const isBusy = isReading || (await countPending(db, 'report')) > 0;
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
  const isReading = (await producer.load(upstream)) > 0 || (await hasWaitingHistory(context));
  const isBusy = isReading || (await countUnsettled(db)) > 0;
  const debounce = { results: 'leaderboard', ms: isBusy ? BUSY_MS : config.briefDebounceMs } as const;
  const [board] = await olderThan(context, [{ key: 'leaderboard' }], debounce);
  if (board !== undefined) await producer.enqueue(leaderboard, due);
}
