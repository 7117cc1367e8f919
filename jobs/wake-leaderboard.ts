import type { QueueName } from '../queues/index.ts';
import { leaderboard } from '../queues/leaderboard.ts';
import { countDirty } from '../src/store/dirty.ts';
import { leaderboardDue } from '../src/store/leaderboard.ts';
import type { JobContext } from './context.ts';

/** Enqueues the leaderboard where it is due and nothing upstream changes reports any more. */
export async function wakeLeaderboard(
  { db, producer }: JobContext,
  upstream: readonly QueueName[],
): Promise<void> {
  const due = await leaderboardDue(db);
  if (due === null) return;
  if ((await producer.load(upstream)) > 0 || (await countDirty(db, 'report')) > 0) return;
  await producer.enqueue(leaderboard, due);
}
