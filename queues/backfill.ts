import { z } from 'zod';
import { day, slot } from './payload.ts';
import { defineQueue, SHORT_LOCK_MS } from './queue.ts';

export const backfill = defineQueue({
  name: 'backfill',
  about: 'Lists the daily indexes of a range of days and enqueues each day that is new or of the last week.',
  group: 'live',
  payload: z.strictObject({
    slot,
    from: day.optional(),
    through: day.optional(),
    /** Reads known days again: the address now has another source. */
    again: z.boolean().optional(),
  }),
  jobId: ({ slot: start, from, through }) => `backfill-${from ?? 'start'}-${through ?? 'now'}-${start}`,
  attempts: 8,
  backoffMs: 5_000,
  concurrency: 1,
  keepsFailed: true,
  lockMs: SHORT_LOCK_MS,
  schedule: [
    { cron: '0 30 22 * * 1-5', slotSeconds: 3_600 },
    { cron: '0 0 6 * * 2-6', slotSeconds: 3_600 },
  ],
});
