import { refreshLeaderboard } from '../src/derive/leaderboard/writer.ts';
import { settleInvalidation } from '../src/store/invalidation/pending.ts';
import { BOARD_KEY, leaderboardDue } from '../src/store/publish/leaderboard.ts';
import type { Job } from './worker/context.ts';

/** Computes the leaderboard for what is due when the job starts, not when it was enqueued. */
export const leaderboard: Job<'leaderboard'> = async ({ db, log, now }) => {
  const due = await leaderboardDue(db);
  if (due === null) return;
  await refreshLeaderboard(db, due, now().toISOString());
  await settleInvalidation(db, 'leaderboard', BOARD_KEY, due.version);
  log.info({ asOf: due.asOf }, 'leaderboard published');
};
