import { z } from 'zod';
import { ticker } from './payload.ts';
import { defineQueue } from './queue.ts';

export const brief = defineQueue({
  name: 'brief',
  about: 'Builds the capital-change brief of one ticker and moves its head forward.',
  payload: z.strictObject({ ticker, generation: z.number().int().min(0) }),
  jobId: ({ ticker: symbol, generation }) => `brief-${symbol}-g${generation}`,
  attempts: 8,
  backoffMs: 500,
  concurrency: 4,
  keepsFailed: false,
  lockMs: 30_000,
  schedule: [],
});
