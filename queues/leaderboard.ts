import { z } from 'zod';
import { day } from './payload.ts';
import { defineQueue } from './queue.ts';

export const leaderboard = defineQueue({
  name: 'leaderboard',
  about: 'Computes implied prices, copied portfolios and the ranking of every window, where reports changed.',
  payload: z.strictObject({ asOf: day, generation: z.number().int().min(0) }),
  jobId: ({ asOf, generation }) => `leaderboard-${asOf}-g${generation}`,
  attempts: 8,
  backoffMs: 1_000,
  concurrency: 1,
  keepsFailed: false,
  lockMs: 30_000,
  schedule: [],
});
