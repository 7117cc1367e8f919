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
  // EDGAR accepts filings from 6 am to 10 pm and lists the last ones some minutes later; the job leaves out holidays.
  schedule: [
    { cron: '0 * 6-21 * * 1-5', slotSeconds: 60 },
    { cron: '0 0-10 22 * * 1-5', slotSeconds: 60 },
  ],
});
