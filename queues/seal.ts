import { z } from 'zod';
import { slot } from './payload.ts';
import { defineQueue } from './queue.ts';

export const seal = defineQueue({
  name: 'seal',
  about: 'Joins the positions of settled quarters into segments: thousands of documents, not millions.',
  payload: z.strictObject({ slot }),
  jobId: () => 'seal-all',
  attempts: 3,
  backoffMs: 60_000,
  group: 'heavy',
  concurrency: 1,
  keepsFailed: false,
  schedule: [{ cron: '0 30 3 * * *', slotSeconds: 3_600 }],
});
