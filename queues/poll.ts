import { z } from 'zod';
import { slot } from './payload.ts';
import { defineQueue } from './queue.ts';

export const poll = defineQueue({
  name: 'poll',
  about: "Reads EDGAR's feed of current filings and notes every filing of a carried form.",
  group: 'live',
  payload: z.strictObject({ slot }),
  // One id for every slot: while a reading waits or runs, none is added.
  jobId: () => 'poll-next',
  attempts: 1,
  backoffMs: 0,
  concurrency: 1,
  // A failed job that stays would swallow every later one.
  keepsFailed: false,
  // None is added while its worker is dead. Running twice does no harm.
  lockMs: 10_000,
  schedule: [{ cron: '*/10 * 6-22 * * 1-5', slotSeconds: 10 }],
});
