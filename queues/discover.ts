import { z } from 'zod';
import { day, defineQueue, ONE_JOB, run, SHORT_LOCK_MS, slot } from './queue.ts';

export const poll = defineQueue({
  name: 'poll',
  about: "Reads EDGAR's feed of current filings and notes every filing of a carried form.",
  group: 'live',
  payload: z.strictObject({ slot }),
  jobId: () => 'poll-next',
  ...ONE_JOB,
  // EDGAR accepts filings from 6 am to 10 pm and lists the last ones some minutes later; the job leaves out holidays.
  schedule: [
    { cron: '0 * 6-21 * * 1-5', slotSeconds: 60 },
    { cron: '0 0-10 22 * * 1-5', slotSeconds: 60 },
  ],
});

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
  backoffMs: 5_000,
  keepsFailed: true,
  lockMs: SHORT_LOCK_MS,
  schedule: [
    { cron: '0 30 22 * * 1-5', slotSeconds: 3_600 },
    { cron: '0 0 6 * * 2-6', slotSeconds: 3_600 },
  ],
});

export const bulk = defineQueue({
  name: 'bulk',
  about:
    'Imports the data sets of the SEC that bring the days held back by backfill, then enqueues backfill.',
  group: 'bulk',
  payload: z.strictObject({ slot }),
  jobId: () => 'bulk-import',
  backoffMs: 60_000,
});

export const reconcile = defineQueue({
  name: 'reconcile',
  about:
    'Reads the daily index of one day, notes the filings that the feed missed, and marks the day complete.',
  group: 'live',
  payload: z.strictObject({ date: day, run }),
  jobId: ({ date, run: n }) => `reconcile-${date}-r${n}`,
  backoffMs: 10_000,
  concurrency: 2,
  keepsFailed: true,
  lockMs: SHORT_LOCK_MS,
});

export const reference = defineQueue({
  name: 'reference',
  about:
    'Imports tickers, CUSIPs and CIKs: company_tickers.json, fails-to-deliver files, lists of 13(f) securities.',
  group: 'live',
  payload: z.strictObject({ slot }),
  jobId: ({ slot: start }) => `reference-${start}`,
  attempts: 5,
  backoffMs: 10_000,
  keepsFailed: true,
  schedule: [{ cron: '0 15 5 * * *', slotSeconds: 3_600 }],
});
