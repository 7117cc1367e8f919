import { z } from 'zod';
import { slot } from './payload.ts';
import { defineQueue } from './queue.ts';

export const poll = defineQueue({
  name: 'poll',
  about: "Reads EDGAR's feed of current filings and notes every filing of a carried form.",
  payload: z.strictObject({ slot }),
  jobId: ({ slot: start }) => `poll-${start}`,
  attempts: 1,
  backoffMs: 0,
  concurrency: 1,
  keepsFailed: true,
  schedule: [{ cron: '*/10 * 6-22 * * 1-5', slotSeconds: 10 }],
});
