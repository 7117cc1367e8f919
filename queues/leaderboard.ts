import { z } from 'zod';
import { day, version } from './payload.ts';
import { defineQueue } from './queue.ts';

export const leaderboard = defineQueue({
  name: 'leaderboard',
  about: 'Computes implied prices, copied portfolios and the ranking of every window when reports changed.',
  group: 'leaderboard',
  payload: z.strictObject({ asOf: day, version }),
  jobId: ({ asOf, version }) => `leaderboard-${asOf}-v${version}`,
  key: () => 'leaderboard',
  attempts: 8,
  backoffMs: 1_000,
  concurrency: 1,
  keepsFailed: false,
});
