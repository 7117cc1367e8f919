import { z } from 'zod';
import { slot } from './payload.ts';
import { defineQueue } from './queue.ts';

export const expire = defineQueue({
  name: 'expire',
  about: 'Has stored briefs expire that no reader got and no ticker shows, and no others.',
  group: 'briefs',
  payload: z.strictObject({ slot }),
  jobId: () => 'expire-all',
  attempts: 3,
  backoffMs: 60_000,
  concurrency: 1,
  keepsFailed: false,
  schedule: [{ cron: '0 0 4 * * *', slotSeconds: 3_600 }],
});
