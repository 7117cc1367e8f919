import type { QueueName } from '../../queues/index.ts';
import { leaderboard } from '../../queues/leaderboard.ts';
import { countUnsettled } from '../../src/store/invalidation/invalidations.ts';
import { computedAt } from '../../src/store/mongo/computed-at.ts';
import { leaderboardDue } from '../../src/store/publish/leaderboard.ts';
import type { JobContext } from '../worker/context.ts';

/** While reports still change the board is computed this often: they may never stop changing. */
const BUSY_MS = 600_000;

/**
 * Enqueues the leaderboard when it is due: when no report changes any more and the board is older than
 * the debounce, else when it is older than ten minutes. The first one waits only for the corpus to be
 * published, which has waited as long.
 */
export async function enqueuePendingLeaderboard(
  { db, config, now, producer }: JobContext,
  upstream: readonly QueueName[],
): Promise<void> {
  const due = await leaderboardDue(db);
  // A job that waits or runs reads what is due when it starts. A second one would compute it again.
  if (due === null || (await producer.load(['leaderboard'])) > 0) return;
  const isBusy = (await producer.load(upstream)) > 0 || (await countUnsettled(db)) > 0;
  const since = new Date(now().getTime() - (isBusy ? BUSY_MS : config.briefDebounceMs)).toISOString();
  const board = (await computedAt(db, 'leaderboard', ['leaderboard'])).get('leaderboard') ?? '';
  if (board <= since) await producer.enqueue(leaderboard, due);
}
