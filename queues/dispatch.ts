import { z } from 'zod';
import { slot } from './payload.ts';
import { defineQueue } from './queue.ts';

export const dispatch = defineQueue({
  name: 'dispatch',
  about: 'Enqueues what the database says is pending, publishes the as-of date and the state of the corpus.',
  group: 'live',
  payload: z.strictObject({ slot }),
  // One id for every slot: while a dispatch waits or runs, none is added.
  jobId: () => 'dispatch-next',
  attempts: 1,
  backoffMs: 0,
  concurrency: 1,
  // A failed job that stays would swallow every later one.
  keepsFailed: false,
  // None is added while its worker is dead. Running twice does no harm.
  lockMs: 10_000,
  schedule: [{ cron: '*/2 * * * * *', slotSeconds: 2 }],
});
