import { z } from 'zod';
import { day, run } from './payload.ts';
import { defineQueue } from './queue.ts';

export const reconcile = defineQueue({
  name: 'reconcile',
  about:
    'Reads the daily index of one day to its end: what the feed missed is noted, the day is marked complete.',
  payload: z.strictObject({ date: day, run }),
  jobId: ({ date, run: n }) => `reconcile-${date}-r${n}`,
  attempts: 8,
  backoffMs: 10_000,
  concurrency: 2,
  keepsFailed: true,
  lockMs: 30_000,
  schedule: [],
});
