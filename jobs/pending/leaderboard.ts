import type { QueueName } from '../../queues/index.ts';
import { leaderboard } from '../../queues/leaderboard.ts';
import { countUnsettled } from '../../src/store/invalidation/invalidations.ts';
import { boardComputedAt, leaderboardDue } from '../../src/store/publish/leaderboard.ts';
import type { JobContext } from '../worker/context.ts';

/** While reports still change the board is computed at most this often, and at least: they may never end. */
const BUSY_MS = 600_000;

/**
 * Enqueues the leaderboard where it is due: when nothing upstream changes reports any more and the
 * one shown is older than the debounce, else when it is older than ten minutes. The first one waits
 * for the corpus to be published only, which has waited as long.
 */
export async function enqueuePendingLeaderboard(
  { db, config, now, producer }: JobContext,
  upstream: readonly QueueName[],
): Promise<void> {
  const due = await leaderboardDue(db);
  // One that waits or runs sees what is due when it starts; more of them would compute it again.
  if (due === null || (await producer.load(['leaderboard'])) > 0) return;
  const isBusy = (await producer.load(upstream)) > 0 || (await countUnsettled(db)) > 0;
  const since = new Date(now().getTime() - (isBusy ? BUSY_MS : config.briefDebounceMs)).toISOString();
  const computedAt = await boardComputedAt(db);
  if (computedAt !== null && computedAt > since) return;
  await producer.enqueue(leaderboard, due);
}
