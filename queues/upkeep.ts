import { z } from 'zod';
import { defineQueue, slot } from './queue.ts';

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

export const ledger = defineQueue({
  name: 'ledger',
  about:
    'Recomputes every balance from the rows of the ledger since the last time, once a week from all of them.',
  group: 'briefs',
  payload: z.strictObject({ slot }),
  jobId: () => 'ledger-check',
  attempts: 3,
  backoffMs: 60_000,
  concurrency: 1,
  keepsFailed: false,
  schedule: [{ cron: '0 20 * * * *', slotSeconds: 3_600 }],
});

export const dispatch = defineQueue({
  name: 'dispatch',
  about: 'Enqueues what the database says is pending, publishes the as-of date and the state of the corpus.',
  group: 'live',
  payload: z.strictObject({ slot }),
  // One id for every slot: while a dispatch waits or runs, none is added.
  jobId: () => 'dispatch-next',
  attempts: 1,
  backoffMs: 0,
  concurrency: 1,
  // A failed job that stays would swallow every later one.
  keepsFailed: false,
  // None is added while its worker is dead. Running twice does no harm.
  lockMs: 10_000,
  schedule: [{ cron: '*/2 * * * * *', slotSeconds: 2 }],
});
