import { z } from 'zod';
import { day, run } from './payload.ts';
import { defineQueue, SHORT_LOCK_MS } from './queue.ts';

export const reconcile = defineQueue({
  name: 'reconcile',
  about:
    'Reads the daily index of one day, notes the filings that the feed missed, and marks the day complete.',
  group: 'live',
  payload: z.strictObject({ date: day, run }),
  jobId: ({ date, run: n }) => `reconcile-${date}-r${n}`,
  attempts: 8,
  backoffMs: 10_000,
  concurrency: 2,
  keepsFailed: true,
  lockMs: SHORT_LOCK_MS,
});
