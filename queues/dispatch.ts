import { z } from 'zod';
import { slot } from './payload.ts';
import { defineQueue } from './queue.ts';

export const dispatch = defineQueue({
  name: 'dispatch',
  about: 'Enqueues what the database says is pending, publishes the as-of date and the state of the corpus.',
  payload: z.strictObject({ slot }),
  jobId: ({ slot: start }) => `dispatch-${start}`,
  attempts: 1,
  backoffMs: 0,
  concurrency: 1,
  keepsFailed: true,
  schedule: [{ cron: '*/2 * * * * *', slotSeconds: 2 }],
});
