import { z } from 'zod';
import { slot } from './payload.ts';
import { defineQueue } from './queue.ts';

export const poll = defineQueue({
  name: 'poll',
  about: 'Reads the current-filings feed of EDGAR and notes every filing of a carried form.',
  payload: z.strictObject({ slot }),
  jobId: ({ slot: start }) => `poll-${start}`,
  attempts: 1,
  backoffMs: 0,
  concurrency: 1,
  keepsFailed: true,
  lockMs: 30_000,
  schedule: [{ cron: '*/10 * 6-22 * * 1-5', slotSeconds: 10 }],
});
