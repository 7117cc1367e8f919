import { z } from 'zod';
import { slot } from './payload.ts';
import { defineQueue } from './queue.ts';

export const check = defineQueue({
  name: 'check',
  about: 'Proves that the stream of events has each filing once and no hole, and keeps the result.',
  group: 'briefs',
  payload: z.strictObject({ slot }),
  jobId: () => 'check-events',
  attempts: 3,
  backoffMs: 60_000,
  concurrency: 1,
  keepsFailed: false,
  schedule: [{ cron: '0 30 3 * * *', slotSeconds: 3_600 }],
});
